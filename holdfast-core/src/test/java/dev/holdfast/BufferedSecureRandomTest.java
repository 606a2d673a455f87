package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BufferedSecureRandomTest {
    private static final int NUMBERS = 200_000;

    @Test
    void noNumberIsHandedOutTwiceHoweverManyThreadsAsk() {
        // Far more than one buffer, from all threads: a buffer that is used twice or read after its end would repeat.
        BufferedSecureRandom random = new BufferedSecureRandom();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicLong ones = new AtomicLong();
        IntStream.range(0, NUMBERS).parallel().forEach(i -> {
            long number = random.nextLong();
            seen.add(number);
            ones.addAndGet(Long.bitCount(number));
        });
        assertThat(seen).hasSize(NUMBERS).doesNotContain(0L);
        // Half of the bits; twenty times the standard deviation to either side.
        assertThat(ones.get() / (double) NUMBERS).isBetween(31.8, 32.2);
    }

    @Test
    void twoSourcesHaveNothingInCommon() {
        BufferedSecureRandom one = new BufferedSecureRandom();
        BufferedSecureRandom other = new BufferedSecureRandom();
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 2_000; i++) {
            seen.add(one.nextLong());
            seen.add(other.nextLong());
        }
        assertThat(seen).hasSize(4_000);
    }
}

package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OwnerTest {
    @Test
    void readsWhatItWrote() {
        SecureRandom random = new SecureRandom();
        Set<String> texts = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            Owner owner = Owner.random(random);
            String text = owner.toString();
            assertThat(text).matches("[A-Za-z0-9_-]{22}");
            assertThat(Owner.parse(text)).isEqualTo(owner);
            texts.add(text);
        }
        assertThat(texts).hasSize(10_000);
        assertThat(Owner.parse(new Owner(-1, Long.MIN_VALUE).toString())).isEqualTo(new Owner(-1, Long.MIN_VALUE));
    }

    @Test
    void copiesThatDrawTheSameNumbersDifferByTheMarksOfTheirConnections() {
        // A process restored twice from one snapshot.
        Owner one = Owner.random(new SplittableRandom(7), 4711);
        Owner other = Owner.random(new SplittableRandom(7), 4712);
        assertThat(one).isNotEqualTo(other);
        assertThat(Owner.random(new SplittableRandom(7), 4711)).isEqualTo(one);
        // Half of it drawn first and half of it second, as two numbers would have been.
        SplittableRandom numbers = new SplittableRandom(7);
        assertThat(Owner.random(new SplittableRandom(7))).isEqualTo(new Owner(numbers.nextLong(), numbers.nextLong()));
    }

    @Test
    void refusesWhatIsNotAnOwner() {
        assertThatThrownBy(() -> Owner.parse("short")).hasMessageContaining("22 characters");
        assertThatThrownBy(() -> Owner.parse("AAAAAAAAAA AAAAAAAAAAA")).hasMessageContaining("' '");
    }
}

package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.InMemoryBackend;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One story, told for every resource that can check a token: the holder reads, pauses past its lease; a rival acquires and
 * reads; the holder wakes and writes; the rival writes. Each adds its part to the number it read: the holder 1, the rival
 * 10.
 *
 * <p>A resource's test extends this and implements {@link #newNumber}.
 */
public abstract class FenceContract {
    private final ManualTime time = new ManualTime();
    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holder = open(backend);
    private final Holdfast rival = open(backend.another());
    private GuardedNumber number;
    private Lease paused;
    private Lease next;

    /** For subclasses. */
    protected FenceContract() {}

    /** A number that nobody has used before. */
    protected abstract GuardedNumber newNumber() throws Exception;

    @BeforeEach
    void pauseTheHolderPastItsLease() throws Exception {
        number = newNumber();
        paused = holder.lock("number").acquireAsync().join();
        backend.controls().expireNow("number");
        next = rival.lock("number").acquireAsync().join();
        assertThat(next.token()).isGreaterThan(paused.token());
        // It was not told, and no check of its own could have told it: that is what a pause is.
        assertThat(paused.isValid()).isTrue();
    }

    @AfterEach
    void close() {
        holder.close();
        rival.close();
    }

    @Test
    void withoutAGuardAnUpdateIsLost() throws Exception {
        long seenByHolder = number.read();
        long seenByRival = number.read();
        number.overwrite(seenByHolder + 1);
        number.overwrite(seenByRival + 10);
        // Both were told that they had written; one of them had not.
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void withTheGuardTheStaleWriteIsRefusedAndNothingIsLost() throws Exception {
        number.announce(paused.token());
        long seenByHolder = number.read();
        number.announce(next.token());
        long seenByRival = number.read();
        assertThatThrownBy(() -> number.write(paused.token(), seenByHolder + 1))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.presented()).isEqualTo(paused.token());
                    assertThat(stale.newest()).isEqualTo(next.token());
                });
        assertThat(number.read()).isZero();
        number.write(next.token(), seenByRival + 10);
        assertThat(number.read()).isEqualTo(10);
        // And it stays refused, for announcing and for writing.
        assertThatThrownBy(() -> number.announce(paused.token())).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> number.write(paused.token(), 1)).isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void withOptimisticLockingAloneNothingIsLostButTheWrongOneGetsThrough() throws Exception {
        long seenByHolder = number.read();
        long seenByRival = number.read();
        assertThat(number.writeIfUnchanged(seenByHolder, seenByHolder + 1)).isTrue();
        // The one that holds the lock is turned away, by one that does not hold it any more. It has to start over.
        assertThat(number.writeIfUnchanged(seenByRival, seenByRival + 10)).isFalse();
        long again = number.read();
        assertThat(number.writeIfUnchanged(again, again + 10)).isTrue();
        assertThat(number.read()).isEqualTo(11);
    }

    @Test
    void withoutTheAnnouncementAStaleWriteSlipsBetweenReadAndWrite() throws Exception {
        number.announce(paused.token());
        long seenByHolder = number.read();
        long seenByRival = number.read();
        // The resource has not heard of the rival yet: the stale token is still the newest it knows.
        number.write(paused.token(), seenByHolder + 1);
        number.write(next.token(), seenByRival + 10);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void aNewerTokenNeedsNoAnnouncementToBeRemembered() throws Exception {
        number.write(next.token(), 10);
        assertThatThrownBy(() -> number.write(paused.token(), 1)).isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void theSameTokenWritesAsOftenAsItLikes() throws Exception {
        number.announce(next.token());
        number.announce(next.token());
        number.write(next.token(), 1);
        number.write(next.token(), 2);
        assertThat(number.read()).isEqualTo(2);
    }

    @Test
    void tokensBeyondTheReachOfDoublesAreComparedExactly() throws Exception {
        // As a double each of these equals its neighbour.
        long large = (1L << 53) * 100 + 1;
        number.announce(new FencingToken(large));
        assertThatThrownBy(() -> number.write(new FencingToken(large - 1), 1)).isInstanceOf(StaleTokenException.class);
        number.write(new FencingToken(large), 2);
        number.write(new FencingToken(large + 1), 3);
        number.write(new FencingToken(Long.MAX_VALUE), 4);
        assertThatThrownBy(() -> number.write(new FencingToken(Long.MAX_VALUE - 1), 5))
                .isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(4);
    }

    @Test
    void tokensAreComparedAsNumbersAndNotAsText() throws Exception {
        number.announce(new FencingToken(9));
        number.write(new FencingToken(10), 1);
        assertThatThrownBy(() -> number.write(new FencingToken(9), 2)).isInstanceOf(StaleTokenException.class);
    }

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build();
    }
}

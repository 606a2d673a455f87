package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One story, told for every resource that can check a token: the holder reads, pauses past its lease; a rival acquires and
 * reads; the holder wakes and writes; the rival writes. Each adds its part to the number it read: the holder 1, the rival
 * 10. A second story: the guard is moved to the tokens of another store. A third one: some of the tokens are readers'.
 *
 * <p>A resource's test extends this and implements {@link #newNumber}.
 */
public abstract class FenceContract {
    /** As Redis issues them. */
    private static final FencingToken LARGE = new FencingToken(1_763_193_600_123_456L);

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

    @Test
    void aGuardThatWasMovedAcceptsTheSmallerTokensOfAnotherStore() throws Exception {
        // A store whose tokens are microseconds, then one that counts from one. Every new holder was refused for ever.
        number.announce(LARGE);
        assertThatThrownBy(() -> number.announce(new FencingToken(7))).isInstanceOf(StaleTokenException.class);
        assertThat(number.move(number.inspect(), 1, "alice")).isTrue();
        GuardedNumber moved = number.withGeneration(1);
        moved.announce(new FencingToken(7));
        moved.write(new FencingToken(8), 10);
        assertThatThrownBy(() -> moved.write(new FencingToken(7), 1)).isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void aMovedGuardRefusesEveryTokenOfTheOldStoreWhateverItsSize() throws Exception {
        // Holders of the old store that were paused across the move: one that the guard knew, one that it had refused
        // before, one that it never heard of. All of their tokens are larger than those of the new store.
        number.announce(LARGE);
        assertThat(number.move(number.inspect(), 1, "alice")).isTrue();
        number.withGeneration(1).announce(new FencingToken(7));
        for (long late : new long[] {LARGE.value(), LARGE.value() - 1, LARGE.value() + 1, 7, Long.MAX_VALUE}) {
            FencingToken token = new FencingToken(late);
            assertThatThrownBy(() -> number.write(token, 1))
                    .isInstanceOfSatisfying(WrongGenerationException.class, wrong -> {
                        assertThat(wrong.presented()).isZero();
                        assertThat(wrong.current()).isEqualTo(1);
                    });
            assertThatThrownBy(() -> number.announce(token)).isInstanceOf(WrongGenerationException.class);
        }
        assertThat(number.read()).isZero();
        number.withGeneration(1).write(new FencingToken(7), 10);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void tokensOfTheNewStoreAreRefusedUntilTheGuardIsMoved() throws Exception {
        // A process of the new store starts too early, with a token that is larger by chance.
        number.announce(new FencingToken(5));
        GuardedNumber early = number.withGeneration(1);
        assertThatThrownBy(() -> early.announce(LARGE))
                .isInstanceOfSatisfying(
                        WrongGenerationException.class,
                        wrong -> assertThat(wrong.current()).isZero());
        assertThatThrownBy(() -> early.write(LARGE, 1)).isInstanceOf(WrongGenerationException.class);
        number.write(new FencingToken(5), 10);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void aGuardIsMovedOnlyFromWhatWasShownAndOnlyForward() throws Exception {
        // Between the look and the move a holder announces; then two operators move from the same look.
        number.announce(new FencingToken(5));
        GuardState shown = number.inspect();
        number.announce(new FencingToken(6));
        assertThat(number.move(shown, 1, "alice")).isFalse();
        number.write(new FencingToken(6), 1);
        GuardState again = number.inspect();
        assertThat(again.newest()).contains(new FencingToken(6));
        assertThat(again.moves()).isEmpty();
        assertThat(number.move(again, 1, "alice")).isTrue();
        assertThat(number.move(again, 1, "bob")).isFalse();
        assertThat(number.move(again, 2, "bob")).isFalse();
        GuardState moved = number.inspect();
        assertThatThrownBy(() -> number.move(moved, 1, "bob")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> number.move(moved, 0, "bob")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> number.move(moved, 2, " ")).isInstanceOf(IllegalArgumentException.class);
        assertThat(number.inspect()).isEqualTo(moved);
    }

    @Test
    void everyMoveIsRecordedBesideTheGuard() throws Exception {
        Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        number.announce(LARGE);
        assertThat(number.inspect()).isEqualTo(GuardState.of(0, LARGE.value()));
        assertThat(number.move(number.inspect(), 1, "alice on host-1")).isTrue();
        // Back to the first store before anybody used the second: that is one more step forward.
        assertThat(number.inspect().newest()).isEmpty();
        assertThat(number.move(number.inspect(), 3, "bob\nß")).isTrue();
        number.withGeneration(3).announce(LARGE);
        GuardState state = number.inspect();
        assertThat(state.generation()).isEqualTo(3);
        assertThat(state.newest()).contains(LARGE);
        assertThat(state.moves()).hasSize(2);
        GuardMove first = state.moves().get(0);
        assertThat(first.fromGeneration()).isZero();
        assertThat(first.newest()).contains(LARGE);
        assertThat(first.toGeneration()).isEqualTo(1);
        assertThat(first.by()).isEqualTo("alice on host-1");
        assertThat(first.at()).isBetween(before, Instant.now());
        GuardMove second = state.moves().get(1);
        assertThat(second.fromGeneration()).isEqualTo(1);
        assertThat(second.newest()).isEmpty();
        assertThat(second.toGeneration()).isEqualTo(3);
        assertThat(second.by()).isEqualTo("bob\nß");
    }

    @Test
    void readersNeverRefuseEachOther() throws Exception {
        // They hold their shares at the same time, so either may come first, and as often as it likes.
        number.announce(new FencingToken(5));
        number.announceRead(new FencingToken(8));
        number.announceRead(new FencingToken(7));
        number.announceRead(new FencingToken(8));
        number.announceRead(new FencingToken(9));
        number.announceRead(new FencingToken(7));
        assertThat(number.inspect()).isEqualTo(GuardState.of(0, 9));
    }

    @Test
    void aReaderIsRefusedByANewerWriterAndByNothingElse() throws Exception {
        // A reader is paused past its lease. While other readers come it may go on; once a writer has come it may not.
        number.announceRead(new FencingToken(5));
        number.announceRead(new FencingToken(8));
        number.announceRead(new FencingToken(5));
        number.announce(new FencingToken(9));
        number.announceRead(new FencingToken(12));
        assertThatThrownBy(() -> number.announceRead(new FencingToken(8)))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.presented()).isEqualTo(new FencingToken(8));
                    assertThat(stale.newest()).isEqualTo(new FencingToken(9));
                });
        number.announceRead(new FencingToken(9));
        number.announceRead(new FencingToken(10));
        // A write counts as a writer's announcement.
        number.write(new FencingToken(12), 1);
        assertThatThrownBy(() -> number.announceRead(new FencingToken(10))).isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(1);
    }

    @Test
    void aWriterIsRefusedByANewerReader() throws Exception {
        // The writer is paused past its lease; a reader acquires, announces itself and reads. What it read must stay.
        number.announce(new FencingToken(5));
        number.announceRead(new FencingToken(6));
        long seenByReader = number.read();
        assertThatThrownBy(() -> number.write(new FencingToken(5), 1))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.newest()).isEqualTo(new FencingToken(6)));
        assertThatThrownBy(() -> number.announce(new FencingToken(5))).isInstanceOf(StaleTokenException.class);
        assertThat(number.read()).isEqualTo(seenByReader);
        number.write(new FencingToken(7), 10);
        assertThat(number.read()).isEqualTo(10);
    }

    @Test
    void aReaderMayBeTheFirstThatAGuardSees() throws Exception {
        number.announceRead(new FencingToken(6));
        number.announceRead(new FencingToken(4));
        assertThatThrownBy(() -> number.write(new FencingToken(5), 1)).isInstanceOf(StaleTokenException.class);
        number.write(new FencingToken(6), 1);
        assertThat(number.read()).isEqualTo(1);
    }

    @Test
    void tokensOfReadersAreComparedExactly() throws Exception {
        // As a double each of these equals its neighbour.
        long large = (1L << 53) * 100 + 1;
        number.announceRead(new FencingToken(large));
        assertThatThrownBy(() -> number.write(new FencingToken(large - 1), 1)).isInstanceOf(StaleTokenException.class);
        number.write(new FencingToken(large + 1), 1);
        assertThatThrownBy(() -> number.announceRead(new FencingToken(large))).isInstanceOf(StaleTokenException.class);
        number.announceRead(new FencingToken(large + 1));
        // 9 is larger than 10 as a text only.
        GuardedNumber other = newNumber();
        other.announceRead(new FencingToken(9));
        other.announceRead(new FencingToken(10));
        assertThatThrownBy(() -> other.write(new FencingToken(9), 1)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void aMoveLeavesNoReaderBehind() throws Exception {
        // The newest token was a reader's. The move names it, forgets both marks, and refuses readers of the old store.
        number.announce(new FencingToken(5));
        GuardState shown = number.inspect();
        number.announceRead(LARGE);
        assertThat(number.move(shown, 1, "alice")).isFalse();
        assertThat(number.move(number.inspect(), 1, "alice")).isTrue();
        assertThat(number.inspect().moves().get(0).newest()).contains(LARGE);
        assertThat(number.inspect().newest()).isEmpty();
        GuardedNumber moved = number.withGeneration(1);
        moved.announceRead(new FencingToken(7));
        moved.announceRead(new FencingToken(6));
        moved.write(new FencingToken(7), 10);
        assertThatThrownBy(() -> number.announceRead(LARGE)).isInstanceOf(WrongGenerationException.class);
        assertThat(number.read()).isEqualTo(10);
    }

    private Holdfast open(InMemoryBackend client) {
        return Holdfast.builder(client)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build();
    }
}

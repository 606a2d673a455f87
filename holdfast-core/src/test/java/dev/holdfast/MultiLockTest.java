package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.Grant;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several names at once: all or none, in one order, within one limit. */
@Timeout(60)
class MultiLockTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend store = new InMemoryBackend();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time)
            .listener(new LockListener() {
                @Override
                public void acquired(LockKey lock, FencingToken token, Duration waited) {
                    events.add("+" + lock.name());
                }

                @Override
                public void released(LockKey lock, FencingToken token, Duration held) {
                    events.add("-" + lock.name());
                }
            })
            .build();
    private final Holdfast rival =
            Holdfast.builder(store.another()).environment(time).build();

    @Test
    void allAreTakenInOneOrderAndGivenBackInReverse() throws Exception {
        try (MultiLease leases = holdfast.lockAll("c", "a", "b").acquire()) {
            assertThat(leases.names()).containsExactly("a", "b", "c");
            assertThat(leases.isValid()).isTrue();
            for (String name : leases.names()) {
                LockState state = holdfast.inspect(name).orElseThrow();
                assertThat(state.tokens().contains(leases.token(name))).isTrue();
            }
            assertThatThrownBy(() -> leases.token("d"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'d' is not held here");
        }
        assertThat(events).containsExactly("+a", "+b", "+c", "-c", "-b", "-a");
        assertNothingIsHeld();
    }

    @Test
    void theOrderIsThatOfTheBytesInUtf8() {
        // As UTF-16 the emoji would come first: its surrogates are below U+FF5E.
        assertThat(holdfast.lockAll("\uff5e", "\ud83d\ude00", "z", "Z", "\u00e9")
                        .names())
                .containsExactly("Z", "z", "\u00e9", "\uff5e", "\ud83d\ude00");
    }

    @Test
    void namesThatMakeNoSenseAreRefusedBeforeAnythingIsSent() {
        assertThatThrownBy(() -> holdfast.lockAll()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> holdfast.lockAll("a", "b", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a' is there twice");
        assertThatThrownBy(() -> holdfast.lockAll("a", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> holdfast.lockAll("a", null)).isInstanceOf(NullPointerException.class);
        List<String> many = IntStream.range(0, 101).mapToObj(i -> "n" + i).toList();
        assertThatThrownBy(() -> holdfast.lockAll(many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 100");
    }

    @Test
    void aHundredNamesAreTakenAndGivenBack() throws Exception {
        // The store answers at once, so that each is asked for inside the delivery of the one before.
        List<String> many = IntStream.range(0, 100).mapToObj(i -> "n" + i).toList();
        MultiLease blocking = holdfast.lockAll(many).acquire();
        assertThat(holdfast.list("n", 200)).hasSize(100);
        blocking.close();
        holdfast.lockAll(many).acquireAsync().join().close();
        assertNothingIsHeld();
    }

    @Test
    void askingOnceFindsABusyOneAndHoldsNothing() throws Exception {
        Lease busy = rival.lock("b").acquire();
        assertThat(holdfast.lockAll("a", "b", "c").tryAcquire()).isEmpty();
        assertThatThrownBy(() -> holdfast.lockAll("a", "b", "c").acquire(Duration.ZERO))
                .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                    assertThat(e.lockName()).isEqualTo("b");
                    assertThat(e.getMessage())
                            .contains("Lock 'b' is busy", "Asked for together: 'a', 'b', 'c'", "nothing is held");
                });
        assertThat(holdfast.list("", 10)).extracting(LockState::name).containsExactly("b");
        busy.close();
    }

    @Test
    void oneLimitCoversAll() {
        // "a" is free after three seconds of five, "b" never: the wait ends after five, not after eight.
        Lease a = rival.lock("a").acquireAsync().join();
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("b", "a").acquireAsync(Duration.ofSeconds(5));
        time.advance(Duration.ofSeconds(3));
        a.close();
        assertThat(events).containsExactly("+a");
        time.advance(Duration.ofMillis(1_999));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(failureOf(waiting)).isInstanceOfSatisfying(LockTimeoutException.class, e -> {
            assertThat(e.lockName()).isEqualTo("b");
            assertThat(e.waited()).isEqualTo(Duration.ofSeconds(5));
        });
        b.close();
        assertNothingIsHeld();
    }

    @Test
    void silenceAfterALongWaitForABusyOneIsToldAsBusyAndSilenceAllTheTimeAsAnOutage() {
        ScriptedBackend scripted = new ScriptedBackend();
        try (Holdfast silent = Holdfast.builder(scripted).environment(time).build()) {
            CompletableFuture<MultiLease> busy = silent.lockAll("a", "b").acquireAsync(Duration.ofSeconds(5));
            scripted.asked.element().busy(Duration.ofSeconds(60), true);
            time.advance(Duration.ofMillis(4_900));
            ScriptedBackend.Asked first = scripted.asked.remove();
            long until = scripted.full(Duration.ofSeconds(30));
            scripted.events.granted(
                    "a", first.claim().owner(), Grant.full(16, first.claim().tokens(), until));
            time.advance(SECOND);
            assertThat(failureOf(busy)).isInstanceOf(LockTimeoutException.class).hasMessageContaining("'b'");
            scripted.asked.clear();

            CompletableFuture<MultiLease> outage = silent.lockAll("c", "d").acquireAsync(Duration.ofSeconds(5));
            scripted.asked.remove().grant(16, scripted.full(Duration.ofSeconds(30)));
            time.advance(Duration.ofSeconds(5));
            assertThat(failureOf(outage))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("Lock 'd' is unavailable");
            assertThat(scripted.releases).hasSize(2);
        }
    }

    @Test
    void cancellingGivesBackWhatWasTaken() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("a", "b").acquireAsync();
        assertThat(events).containsExactly("+a");
        waiting.cancel(false);
        assertThat(events).containsExactly("+a", "-a");
        b.close();
        assertNothingIsHeld();
    }

    @Test
    void cancellingWhileTheExecutorIsBusyGivesBackAtOnce() {
        // All granted, and the executor has no thread for the completion yet.
        ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
        try (Holdfast slow = Holdfast.builder(store.another())
                .environment(time)
                .executor(queue::add)
                .build()) {
            CompletableFuture<MultiLease> waiting = slow.lockAll("a", "b").acquireAsync();
            assertThat(waiting).isNotDone();
            waiting.cancel(false);
            assertNothingIsHeld();
            queue.forEach(Runnable::run);
            assertThat(waiting).isCancelled();
        }
    }

    @Test
    void anExecutorThatRefusesStillDelivers() throws Exception {
        try (Holdfast refusing = Holdfast.builder(store.another())
                .executor(task -> {
                    throw new RejectedExecutionException("full");
                })
                .build()) {
            refusing.lockAll("a", "b").acquireAsync().get(20, TimeUnit.SECONDS).close();
            Lease busy = refusing.lock("b").acquire();
            CompletableFuture<MultiLease> waiting = refusing.lockAll("a", "b").acquireAsync(Duration.ZERO);
            assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(LockTimeoutException.class);
            busy.close();
        }
        assertNothingIsHeld();
    }

    @Test
    void losingOneEndsTheWholeSaysWhichAndKeepsTheOthersUntilItIsClosed() throws Exception {
        MultiLease leases = holdfast.lockAll("a", "b", "c").acquire();
        List<Loss> losses = new ArrayList<>();
        leases.onLost(losses::add);
        store.controls().lose("b");
        store.controls().lose("c");
        assertThat(losses).extracting(Loss::name).containsExactly("b");
        assertThat(leases.isValid()).isFalse();
        assertThat(leases.remaining()).isZero();
        assertThatThrownBy(() -> leases.ensureValid(Duration.ZERO))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        e -> assertThat(e.loss().name()).isEqualTo("b"));
        // Its holder may still be working on "a".
        assertThat(holdfast.inspect("a")).isPresent();
        time.advance(Duration.ofMinutes(2));
        assertThat(holdfast.inspect("a")).isPresent();
        leases.close();
        assertNothingIsHeld();
        List<Loss> late = new ArrayList<>();
        leases.onLost(late::add);
        assertThat(late).isEmpty();
    }

    @Test
    void aSectionWhoseLockWasLostFails() {
        assertThatThrownBy(() -> holdfast.lockAll("a", "b")
                        .run(leases -> store.controls().lose("b")))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        e -> assertThat(e.loss().name()).isEqualTo("b"));
        assertNothingIsHeld();
    }

    @Test
    void aSectionReturnsItsResult() throws Exception {
        assertThat(holdfast.lockAll("a", "b")
                        .<Integer, RuntimeException>call(
                                SECOND, leases -> leases.names().size()))
                .isEqualTo(2);
        assertNothingIsHeld();
    }

    @Test
    void oneThatIsLostWhileAnotherIsWaitedForEndsTheWaitAtOnce() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("a", "b").acquireAsync();
        store.controls().lose("a");
        assertThat(failureOf(waiting))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("while the others were waited for")
                .hasMessageContaining("nothing is held");
        b.close();
        assertNothingIsHeld();
    }

    @Test
    void aFixedLeaseThatEndsWhileWaitingEndsTheWait() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("a", "b")
                .withLease(Duration.ofSeconds(10))
                .fixed()
                .acquireAsync();
        time.advance(Duration.ofSeconds(10));
        assertThat(failureOf(waiting)).isInstanceOf(LeaseLostException.class);
        b.close();
        assertNothingIsHeld();
    }

    @Test
    void validityIsTheShortestAndLeasesAreRenewedWhileOthersAreWaitedFor() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting =
                holdfast.lockAll("a", "b").withLease(Duration.ofSeconds(9)).acquireAsync();
        time.advance(Duration.ofMinutes(1).plusSeconds(2));
        b.close();
        MultiLease leases = waiting.join();
        assertThat(leases.isValid()).isTrue();
        // "b" is fresh: 9 s without 1 % and 2 ms.
        assertThat(leases.remaining()).isLessThan(Duration.ofMillis(8_908));
        leases.close();
        assertNothingIsHeld();
    }

    @Test
    void whatIsGivenBackInTheMiddleIsNotKept() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting =
                holdfast.lockAll("a", "b").heldAtLeast(Duration.ofMinutes(5)).acquireAsync(SECOND);
        time.advance(SECOND);
        assertThat(waiting).isCompletedExceptionally();
        b.close();
        assertNothingIsHeld();
        holdfast.lockAll("a", "b")
                .heldAtLeast(Duration.ofMinutes(5))
                .acquireAsync()
                .join()
                .close();
        assertThat(listed()).hasSize(2);
        time.advance(Duration.ofMinutes(5));
        assertNothingIsHeld();
    }

    @Test
    void anOutageInTheMiddleGivesBackWhatWasTaken() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("a", "b").acquireAsync(Duration.ofSeconds(5));
        store.controls().disconnect();
        time.advance(Duration.ofSeconds(5));
        store.controls().reconnect();
        assertThat(waiting).isCompletedExceptionally();
        b.close();
        // A release that found no store is repeated.
        time.advance(Duration.ofSeconds(40));
        assertNothingIsHeld();
    }

    @Test
    void closingTheHoldfastFailsTheWaitAndFreesWhatWasTaken() {
        Lease b = rival.lock("b").acquireAsync().join();
        CompletableFuture<MultiLease> waiting = holdfast.lockAll("a", "b").acquireAsync();
        holdfast.close();
        assertThat(failureOf(waiting)).isInstanceOf(HoldfastClosedException.class);
        b.close();
        assertNothingIsHeld();
        assertThat(failureOf(holdfast.lockAll("a", "b").acquireAsync())).isInstanceOf(HoldfastClosedException.class);
        assertThatThrownBy(() -> holdfast.lockAll("a", "b").acquire()).isInstanceOf(HoldfastClosedException.class);
    }

    @Test
    void closingTwiceAndReleasingAfterwardsDoNothingMore() throws Exception {
        Optional<MultiLease> leases = holdfast.lockAll("a", "b").tryAcquire(SECOND);
        leases.orElseThrow().close();
        leases.orElseThrow().close();
        assertThat(leases.orElseThrow().releaseAsync()).isCompleted();
        assertThatThrownBy(() -> leases.orElseThrow().ensureValid(Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
        assertThat(events).containsExactly("+a", "+b", "-b", "-a");
    }

    private List<LockState> listed() {
        try {
            return rival.list("", 200);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void assertNothingIsHeld() {
        assertThat(listed()).isEmpty();
        assertThat(holdfast.activity()).isEqualTo(new Activity(0, 0));
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
            throw new AssertionError("not failed");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }
}

package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Grants that are pushed: fresh, late, lost, repeated, from another server. Virtual time, the test is the server. */
@Timeout(120)
class PushTest {
    /** After which a pushed grant that is still held is claimed. */
    private static final Duration A_MOMENT = Duration.ofMillis(2);

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration FULL = Duration.ofMillis(30_000 - 300 - 2);
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final String HOLDER = "7 elsewhere ";

    private final ManualTime time = new ManualTime();
    private final FakeNode node = new FakeNode();
    private final Holdfast holdfast = Holdfast.builder(
                    RedisBackend.overNode(node, Keys.standard(), WINDOW, Duration.ofSeconds(2)))
            .environment(time)
            .cohort(1)
            .closeGrace(Duration.ZERO)
            .build();
    private String owner = "";

    /** Somebody else holds the lock for a lease from now, and we are first in the queue. */
    private CompletableFuture<Lease> queued() {
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        FakeNode.Request asked = node.next(Script.ACQUIRE);
        owner = asked.owner();
        asked.answer(0L, node.micros(), LEASE.toMillis(), 1L, 0L, 0L, HOLDER);
        return waiting;
    }

    private String push(long token, long grantedMicros) {
        return push(token, grantedMicros, "run-1");
    }

    private String push(long token, long grantedMicros, String runId) {
        return owner + " " + token + " 1 " + grantedMicros + " 2000 " + runId + " a";
    }

    @Test
    void aFreshPushIsHandedOutAtOnceForWhatIsLeftOfTheWindow() {
        // Granted 100 ms ago. The lease is there before its claim is answered, and after the answer it is a full one.
        CompletableFuture<Lease> waiting = queued();
        time.advance(Duration.ofSeconds(5));
        long granted = node.micros();
        time.advance(Duration.ofMillis(100));
        node.listener.message(push(77, granted));
        Lease lease = waiting.join();
        assertThat(lease.token().value()).isEqualTo(77);
        // The window, less the age, less one percent drift of the sample's age and of the window, less 2 ms.
        assertThat(lease.remaining())
                .isBetween(Duration.ofMillis(2000 - 100 - 51 - 20 - 3), Duration.ofMillis(2000 - 100 - 51 - 20 - 2));
        time.advance(A_MOMENT);
        FakeNode.Request claim = node.next(Script.RENEW);
        assertThat(claim.arguments().get(0)).isEqualTo(owner + " 77 ");
        time.advance(Duration.ofMillis(10));
        claim.answer(1L);
        assertThat(lease.remaining()).isEqualTo(FULL.minusMillis(10));
    }

    @Test
    void aPushWhoseClaimIsNotAnsweredEndsWithTheWindow() {
        CompletableFuture<Lease> waiting = queued();
        node.listener.message(push(77, node.micros()));
        Lease lease = waiting.join();
        time.advance(WINDOW);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aPushAfterAPauseOfFortySecondsIsClaimedFirst() {
        // The receiver slept while the lock was granted to it, expired, and went to somebody else. It hands out
        // nothing,
        // asks, and stands in the queue again.
        CompletableFuture<Lease> waiting = queued();
        long granted = node.micros();
        time.advance(Duration.ofSeconds(29));
        node.requests.clear();
        node.listener.message(push(77, granted - 11_000_000));
        assertThat(waiting).isNotDone();
        FakeNode.Request asked = node.next(Script.ACQUIRE);
        assertThat(asked.owner()).isEqualTo(owner);
        asked.answer(0L, node.micros(), 25_000L, 3L, 0L, 0L, HOLDER);
        assertThat(waiting).isNotDone();
        // Its place was used up by a push that did arrive: the inbox is sound.
        assertThat(node.inboxesReplaced).isZero();
    }

    @Test
    void aPushThatIsClaimedFirstIsHandedOutWithTheAnswer() {
        // Older than the window by our reckoning, and yet still ours at the server.
        CompletableFuture<Lease> waiting = queued();
        long granted = node.micros();
        time.advance(Duration.ofMillis(1990));
        node.listener.message(push(77, granted));
        assertThat(waiting).isNotDone();
        node.next(Script.ACQUIRE).answer(1L, node.micros(), 77L, 1L, 1L);
        assertThat(waiting.join().remaining()).isEqualTo(FULL);
        assertThat(node.inboxesReplaced).isZero();
    }

    @Test
    void withoutAFreshSampleOfThatServerAPushIsClaimedFirst() {
        // Another server; none known; a sample older than the lease; a clock that was set forward.
        CompletableFuture<Lease> waiting = queued();
        node.listener.message(push(77, node.micros(), "run-2"));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 60_000L, 1L, 1L, 0L, HOLDER);
        node.listener.message(push(78, node.micros(), ""));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 60_000L, 1L, 1L, 0L, HOLDER);
        node.listener.message(push(79, node.micros() + 5_000_000));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 60_000L, 1L, 1L, 0L, HOLDER);
        time.advance(LEASE.plusMillis(1));
        node.listener.message(push(80, node.micros()));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 60_000L, 1L, 1L, 0L, HOLDER);
        assertThat(waiting).isNotDone();
        // The last answer brought a sample.
        node.listener.message(push(81, node.micros()));
        assertThat(waiting.join().token().value()).isEqualTo(81);
    }

    @Test
    void aPushThatComesTwiceIsOneGrant() {
        // The second copy neither lengthens the lease nor makes another one; after the release it changes nothing.
        CompletableFuture<Lease> waiting = queued();
        String push = push(77, node.micros());
        node.listener.message(push);
        Lease lease = waiting.join();
        time.advance(A_MOMENT);
        node.next(Script.RENEW).answer(1L);
        Duration remaining = lease.remaining();
        node.listener.message(push);
        assertThat(lease.remaining()).isEqualTo(remaining);
        assertThat(node.requests).isEmpty();
        lease.releaseAsync();
        node.next(Script.RELEASE).answer(1L, 0L);
        node.listener.message(push);
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aPushForAnOwnerThatIsNotOursTouchesNothing() {
        // Somebody who may publish, and not write, names the owner of another process's lock. We used to "give back"
        // what
        // we were not given: its lock was gone.
        queued();
        String victim = Owner.random(time.random()).toString();
        node.listener.message(victim + " 77 1 " + node.micros() + " 2000 run-1 a");
        node.listener.message(victim + " 77 1 " + node.micros() + " 2000 run-1 b");
        time.advance(A_MOMENT);
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aPushAfterTheClaimWasTakenBackTouchesNothingMore() {
        // The withdrawal itself ends what was granted in the meantime, and is repeated until it is confirmed.
        CompletableFuture<Lease> waiting = queued();
        waiting.cancel(false);
        assertThat(node.next(Script.WITHDRAW).owner()).isEqualTo(owner);
        node.listener.message(push(77, node.micros()));
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aForgedWindowIsWorthNoMoreThanOurOwn() {
        // A day, for a claim that waits. It used to be believed.
        CompletableFuture<Lease> waiting = queued();
        node.listener.message(owner + " 77 1 " + node.micros() + " 86400000 run-1 a");
        assertThat(waiting.join().remaining()).isLessThan(WINDOW);
    }

    @Test
    void aTokenAheadOfTheClockIsConfirmedFirst() {
        // It would make a guarded resource refuse everybody after it. No script of ours gives one out, unless the clock
        // was
        // set back.
        CompletableFuture<Lease> waiting = queued();
        node.listener.message(push(9_007_199_254_740_991L, node.micros()));
        assertThat(waiting).isNotDone();
        node.next(Script.ACQUIRE).answer(0L, node.micros(), LEASE.toMillis(), 1L, 1L, 0L, HOLDER);
        assertThat(waiting).isNotDone();
    }

    @Test
    void whatDoesNotFitTheClaimIsNoGrant() {
        // Another name, more tokens than asked for, impossible numbers, garbage. Some of it used to throw on the I/O
        // thread, which logged a stack trace for each.
        CompletableFuture<Lease> waiting = queued();
        long now = node.micros();
        for (String text : List.of(
                owner + " 77 1 " + now + " 2000 run-1 other",
                owner + " 77 2 " + now + " 2000 run-1 a",
                owner + " 77 0 " + now + " 2000 run-1 a",
                owner + " 0 1 " + now + " 2000 run-1 a",
                owner + " -5 1 " + now + " 2000 run-1 a",
                owner + " 9007199254740992 1 " + now + " 2000 run-1 a",
                owner + " 77 1 " + Long.MIN_VALUE + " 2000 run-1 a",
                owner + " 77 1 " + now + " -1 run-1 a",
                owner + " 77 1 " + now + " " + Long.MAX_VALUE + " run-1 a",
                owner + " 77 1 " + now + " 2000 run-1",
                "echo x",
                "")) {
            node.listener.message(text);
            assertThat(waiting).as(text).isNotDone();
            assertThat(node.requests).as(text).isEmpty();
        }
    }

    @Test
    void malformedPushesAreToldOfOnceInAWhile() {
        Reports reports = new Reports();
        FakeNode flooded = new FakeNode();
        RedisBackend.overNode(flooded, Keys.standard(), WINDOW, Duration.ofSeconds(2))
                .open(time, reports);
        for (int i = 0; i < 1000; i++) {
            flooded.listener.message("garbage");
        }
        assertThat(reports.disturbances).hasSize(1);
        time.advance(Duration.ofSeconds(10));
        flooded.listener.message("garbage");
        assertThat(reports.disturbances).hasSize(2).last().asString().contains("999 more");
    }

    @Test
    void aPushBeforeTheAnswerToItsClaimIsAGrant() {
        // Two connections: the push overtakes the answer that says "queued".
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        FakeNode.Request asked = node.next(Script.ACQUIRE);
        owner = asked.owner();
        node.listener.message(push(77, node.micros()));
        Lease lease = waiting.join();
        time.advance(A_MOMENT);
        node.next(Script.RENEW).answer(1L);
        asked.answer(0L, node.micros(), LEASE.toMillis(), 1L, 0L, 0L, HOLDER);
        assertThat(lease.isValid()).isTrue();
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aLostPushIsNoticedByTheTimerAndTheInboxReplaced() {
        // The grant was pushed into nothing and its window lapsed. Our re-check at the end of the lease finds us
        // neither
        // queued nor holding, although nothing broke: so the inbox is deaf.
        CompletableFuture<Lease> waiting = queued();
        time.advance(LEASE.plusMillis(1));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 20_000L, 2L, 0L, 0L, HOLDER);
        assertThat(node.inboxesReplaced).isEqualTo(1);
        // The new subscription has every waiter asked again. That it is queued anew then proves nothing.
        node.subscribe();
        node.next(Script.ACQUIRE).answer(0L, node.micros(), 20_000L, 2L, 0L, 0L, HOLDER);
        assertThat(node.inboxesReplaced).isEqualTo(1);
        assertThat(waiting).isNotDone();
    }

    @Test
    void aGrantInTheAnswerToAReCheckOutsideTheQueueAlsoShowsALostPush() {
        CompletableFuture<Lease> waiting = queued();
        time.advance(LEASE.plusMillis(1));
        node.next(Script.ACQUIRE).answer(1L, node.micros(), 90L, 1L, 0L);
        assertThat(waiting.join().token().value()).isEqualTo(90);
        assertThat(node.inboxesReplaced).isEqualTo(1);
    }

    @Test
    void nobodyIsQueuedWhileTheInboxIsDown() {
        // The claim is sent without an inbox, polled, and queued once the inbox stands again.
        node.subscribed = false;
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        FakeNode.Request asked = node.next(Script.ACQUIRE);
        assertThat(asked.arguments()).hasSize(6);
        asked.answer(0L, node.micros(), LEASE.toMillis(), 0L, 0L, 0L, HOLDER);
        time.advance(Duration.ofSeconds(1));
        node.next(Script.ACQUIRE).answer(0L, node.micros(), LEASE.toMillis(), 0L, 0L, 0L, HOLDER);
        node.subscribed = true;
        node.subscribe();
        assertThat(node.next(Script.ACQUIRE).arguments().get(6)).contains(" holdfast:2:inbox:");
        assertThat(waiting).isNotDone();
    }

    @Test
    void aHandOverIsWatchedUntilItsWindowIsOver() {
        // Our release handed the lock to a process that does not claim it. We look when the window is over, hand over
        // again, look again, and stop once somebody has claimed it.
        CompletableFuture<Lease> waiting = queued();
        node.listener.message(push(77, node.micros()));
        time.advance(A_MOMENT);
        node.next(Script.RENEW).answer(1L);
        waiting.join().releaseAsync();
        node.next(Script.RELEASE).answer(1L, 2000L);
        time.advance(WINDOW);
        assertThat(node.requests).isEmpty();
        time.advance(Duration.ofMillis(30));
        node.next(Script.HANDOVER).answer(2000L, 2000L);
        time.advance(Duration.ofMillis(2030));
        node.next(Script.HANDOVER).answer(0L, 700L);
        time.advance(Duration.ofMillis(730));
        node.next(Script.HANDOVER).answer(0L, 0L);
        time.advance(Duration.ofMinutes(1));
        assertThat(node.requests).isEmpty();
    }

    @Test
    void aRefusalForLatenessBringsTheTimeAndIsSentAgain() {
        // The server's clock was set forward by an hour: our not-after lies in its past.
        node.offsetMicros += 3_600_000_000L;
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        FakeNode.Request late = node.next(Script.ACQUIRE);
        assertThat(Long.parseLong(late.arguments().get(5))).isLessThan(node.micros());
        late.answer(-1L, node.micros(), 0L);
        FakeNode.Request again = node.next(Script.ACQUIRE);
        assertThat(again.owner()).isEqualTo(late.owner());
        assertThat(Long.parseLong(again.arguments().get(5))).isEqualTo(node.micros() + 2_000_000);
        again.answer(1L, node.micros(), 5L, 1L, 0L);
        assertThat(waiting.join().remaining()).isEqualTo(FULL);
    }

    @Test
    void validityIsMeasuredFromBeforeTheRequestWasSent() {
        // The answer takes a second and a half: the lease is shorter by that.
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        time.advance(Duration.ofMillis(1500));
        node.next(Script.ACQUIRE).answer(1L, node.micros(), 5L, 1L, 0L);
        assertThat(waiting.join().remaining()).isEqualTo(FULL.minusMillis(1500));
    }
}

package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.etcd.rpc.RequestOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Answers that come late, and claims that end meanwhile. The clock of the process under test is moved by hand; the others' stand
 * still, and their leases are longer than any test.
 */
@OnEtcd
@Timeout(300)
class LateAnswerIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Set<Owner> granted = ConcurrentHashMap.newKeySet();
    private final ManualTime time = new ManualTime();
    private final HeldBack answers = new HeldBack();
    private ManagedChannel channel;
    private Components tested;
    private Components others;

    @BeforeEach
    void open() {
        channel = LateClaimIT.channelTo(server);
        var endpoint = new Settings.Endpoint("127.0.0.1", server.port(0));
        var held = ClientInterceptors.intercept(channel, answers);
        tested = Components.open(
                new Settings(List.of(endpoint), held, null, false, null, "late", PATIENCE), time, new Recording());
        others = Components.open(
                new Settings(List.of(endpoint), null, null, false, null, "late", PATIENCE),
                new ManualTime(),
                new Recording());
    }

    @AfterEach
    void close() {
        tested.close();
        others.close();
        channel.shutdownNow();
    }

    @Test
    void whoLooksAgainWhileALookIsUnderWayIsNotGrantedWhatThatOneGivesUp() throws Exception {
        // The one in front goes, and the look that follows is answered after the lease that it would grant. Core has
        // asked again meanwhile. That used to be a second look, which was granted; the first one then removed the key,
        // and there were two valid holders.
        Claim first = claim("look", LONG);
        Claim waiting = claim("look", LEASE).queuedSince(1_000);
        Claim behind = claim("look", LONG).queuedSince(1_000);
        Holding held = holding(first, granted(ask(others, first)));
        assertThat(ask(tested, waiting)).isInstanceOf(Answer.Busy.class);
        assertThat(ask(others, behind)).isInstanceOf(Answer.Busy.class);

        answers.holdBack(LateAnswerIT::isLook);
        get(others.claims().release(held));
        Runnable late = answers.answer();
        time.advance(LEASE.dividedBy(2));
        CompletableFuture<Answer> again = tested.claims().acquire(waiting);
        // Longer than the lease from the first look on, and shorter than the one at the servers.
        time.advance(LEASE.dividedBy(2).plusMillis(500));
        late.run();

        assertThatThrownBy(() -> get(again))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(NotSentException.class);
        await("the next one").atMost(PATIENCE).until(() -> granted.contains(behind.owner()));
        assertThat(granted).doesNotContain(waiting.owner());
    }

    @Test
    void whatIsStillToBeRemovedIsNotGrantedAgain() throws Exception {
        // As before, and the removal that follows is lost, so it will be repeated. Core asks under the same owner, and
        // the key is there. It used to be granted, and then removed: there were two valid holders.
        Claim first = claim("leaving", LONG);
        Claim waiting = claim("leaving", LEASE).queuedSince(1_000);
        Claim behind = claim("leaving", LONG).queuedSince(1_000);
        Holding held = holding(first, granted(ask(others, first)));
        assertThat(ask(tested, waiting)).isInstanceOf(Answer.Busy.class);
        assertThat(ask(others, behind)).isInstanceOf(Answer.Busy.class);
        ServerLease lease = get(tested.claims().leases().obtain(LEASE));

        answers.holdBack(LateAnswerIT::isLook);
        get(others.claims().release(held));
        Runnable late = answers.answer();
        for (int i = 0; i < 3; i++) {
            time.advance(LEASE.dividedBy(3));
            // The lease at the servers is kept alive.
            await("a beat").atMost(PATIENCE).until(() -> {
                time.advance(Duration.ofMillis(10));
                return lease.covers(LEASE, time.nanoTime());
            });
        }
        answers.lose(LateAnswerIT::isRemoval);
        late.run();
        await("lost").atMost(PATIENCE).until(answers::hasLost);

        assertThatThrownBy(() -> ask(tested, waiting)).hasCauseInstanceOf(NotSentException.class);
        assertThat(get(tested.claims().leases().obtain(LEASE))).isSameAs(lease);
        time.advance(Duration.ofSeconds(1));
        await("the next one").atMost(PATIENCE).until(() -> granted.contains(behind.owner()));
        assertThat(granted).doesNotContain(waiting.owner());
        // Once it is removed, the owner may stand again.
        assertThat(ask(tested, waiting)).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void aLateLookDoesNotTakeAwayWhatIsHeld() throws Exception {
        // Core asks for a claim just as the lock is handed to it. However late that is answered, the lock is held.
        Claim claim = claim("held", LEASE).queuedSince(1_000);
        Grant first = granted(ask(tested, claim));
        answers.holdBack(LateAnswerIT::isLook);
        CompletableFuture<Answer> again = tested.claims().acquire(claim);
        Runnable late = answers.answer();
        time.advance(LEASE.dividedBy(2));
        get(tested.renewals().renew(List.of(holding(claim, first))));
        time.advance(LEASE.dividedBy(2).plusMillis(500));
        late.run();

        assertThatThrownBy(() -> get(again)).hasCauseInstanceOf(NotSentException.class);
        assertThat(hasRemoved()).isFalse();
        assertThat(ask(others, claim("held", LONG))).isInstanceOf(Answer.Busy.class);
    }

    @Test
    void whatIsHeldForAMinimumStaysAlthoughTheLeaseEndsBeforeTheServersAnswer() throws Exception {
        // The server stands still while a lock with a minimum is closed. The end of the lease used to remove the key,
        // also after it had been moved to its own lease.
        Claim claim = claim("minimum", LEASE);
        Holding holding = holding(claim, granted(ask(tested, claim)));
        answers.holdBack(LateAnswerIT::isMove);
        CompletableFuture<Boolean> kept = tested.claims().releaseLater(holding, LONG);
        Runnable late = answers.answer();
        time.advance(LEASE.plusMillis(500));
        late.run();

        assertThat(get(kept)).isTrue();
        assertThat(hasRemoved()).isFalse();
        assertThat(ask(others, claim("minimum", LONG))).isInstanceOf(Answer.Busy.class);
        assertThat(tested.places().all()).isEmpty();
    }

    @Test
    void aMinimumThatTheServersMayNotHaveTakenOverEndsHere() throws Exception {
        // Nobody knows whether the key was moved. It is removed when the minimum is over, and not before.
        Claim claim = claim("not taken over", LEASE);
        Holding holding = holding(claim, granted(ask(tested, claim)));
        answers.holdBack(LateAnswerIT::isMove);
        CompletableFuture<Boolean> kept = tested.claims().releaseLater(holding, LEASE.plusMillis(500));
        Runnable late = answers.answer();
        time.advance(LEASE.plusMillis(400));
        assertThat(hasRemoved()).isFalse();
        time.advance(Duration.ofMillis(200));
        assertThat(hasRemoved()).isTrue();
        late.run();
        assertThat(kept).isDone();
    }

    @Test
    void aPlaceWhoseKeyIsGoneIsForgotten() throws Exception {
        // Somebody removes the key of one that waits, and then the one in front goes. The place used to stay, and kept
        // its lease at the servers alive for as long as the process lived.
        Claim first = claim("forgotten", LONG);
        Claim waiting = claim("forgotten", LEASE).queuedSince(1_000);
        Holding held = holding(first, granted(ask(others, first)));
        assertThat(ask(tested, waiting)).isInstanceOf(Answer.Busy.class);
        String key = "late/2/locks/forgotten\t" + waiting.owner();
        assertThat(server.etcdctl("del", key).output()).isEqualTo("1");
        get(others.claims().release(held));
        await("forgotten").atMost(PATIENCE).until(() -> tested.places().all().isEmpty());
        get(tested.claims().withdraw("forgotten", waiting.owner()));
        assertThat(tested.places().all()).isEmpty();
    }

    private static boolean isLook(Object message) {
        return message instanceof TxnRequest txn
                && txn.getCompareCount() == 0
                && txn.getSuccessCount() == 2
                && txn.getSuccessList().stream().allMatch(RequestOp::hasRequestRange);
    }

    private static boolean isMove(Object message) {
        return message instanceof TxnRequest txn
                && txn.getCompareCount() == 1
                && txn.getSuccess(0).hasRequestPut();
    }

    private boolean hasRemoved() {
        return answers.sent.stream().anyMatch(LateAnswerIT::isRemoval);
    }

    private static boolean isRemoval(Object message) {
        return message instanceof TxnRequest txn
                && txn.getSuccessList().stream().anyMatch(RequestOp::hasRequestDeleteRange);
    }

    private static Claim claim(String name, Duration lease) {
        Owner owner = Owner.random(new SecureRandom());
        return Claim.of(name, owner, lease, 1, new Holder("here", 1, ""));
    }

    private static Holding holding(Claim claim, Grant grant) {
        return new Holding(claim.key(), claim.owner(), grant.lastToken(), claim.lease());
    }

    private static Grant granted(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        return ((Answer.Granted) answer).grant();
    }

    private static Answer ask(Components backend, Claim claim) throws Exception {
        return get(backend.claims().acquire(claim));
    }

    private static <T> T get(CompletableFuture<T> stage) throws Exception {
        return stage.get(60, TimeUnit.SECONDS);
    }

    private final class Recording implements Events {
        @Override
        public void granted(String name, Owner owner, Grant grant) {
            granted.add(owner);
        }

        @Override
        public void maybeFree(String name) {}

        @Override
        public void lost(String name, Owner owner, String why) {}

        @Override
        public void recheckAll(String why) {}

        @Override
        public void notice(BackendNotice notice) {}
    }
}

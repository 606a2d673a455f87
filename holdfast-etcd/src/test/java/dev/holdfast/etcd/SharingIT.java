package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.TokenRange;
import dev.holdfast.etcd.rpc.LeaseGrantRequest;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.etcd.rpc.RequestOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.testing.ManualTime;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Semaphores and read-write locks: what they cost, and answers that are lost. The clocks of the processes stand still, so nothing
 * is sent but what the test asks for: no beats, and no looks but those that a watch has caused.
 */
@OnEtcd
@Timeout(300)
class SharingIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Set<Owner> granted = ConcurrentHashMap.newKeySet();
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
                new Settings(List.of(endpoint), held, null, false, null, "shared", PATIENCE),
                new ManualTime(),
                new Recording());
        others = Components.open(
                new Settings(List.of(endpoint), null, null, false, null, "shared", PATIENCE),
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
    void aSlotWhoseAnswerWasLostIsTheOneThatIsGranted() throws Exception {
        // The claim has become a slot, and its process does not know. A lower one is free when it asks again.
        Claim first = slot("lost answer", 2);
        Claim second = slot("lost answer", 2).queuedSince(1_000);
        Holding held = holding(first, granted(ask(others, first)));
        CompletableFuture<Answer> asked = askAndLoseTheSlot(second);
        assertThatThrownBy(() -> get(asked)).isNotNull();
        get(others.claims().release(held));
        Grant grant = granted(ask(tested, second));
        assertThat(grant.slot()).isEqualTo(1);
        assertThat(get(tested.inspection().describe(second.key())))
                .singleElement()
                .satisfies(state -> {
                    assertThat(state.tenure().isOf(second.owner())).isTrue();
                    assertThat(state.tokens()).isEqualTo(TokenRange.endingWith(grant.lastToken(), 1));
                    assertThat(state.waiters()).isEmpty();
                });
        assertThat(get(tested.renewals().renew(List.of(holding(second, grant)))))
                .first()
                .isInstanceOf(Renewal.Renewed.class);
        assertThat(get(tested.claims().release(holding(second, grant)))).isTrue();
        assertThat(keys("lost answer")).isEmpty();
    }

    @Test
    void aSlotWhoseAnswerWasLostIsWithdrawnWithItsClaim() throws Exception {
        // Nobody would renew it, and its lease at the servers may live on for other locks.
        Claim first = slot("withdrawn", 2);
        Holding held = holding(first, granted(ask(others, first)));
        for (boolean queued : List.of(true, false)) {
            Claim claim = queued ? slot("withdrawn", 2).queuedSince(1_000) : slot("withdrawn", 2);
            CompletableFuture<Answer> asked = askAndLoseTheSlot(claim);
            assertThatThrownBy(() -> get(asked)).isNotNull();
            assertThat(keys("withdrawn")).hasSize(2);
            get(tested.claims().withdraw(claim.key(), claim.owner()));
            assertThat(keys("withdrawn")).hasSize(1);
            assertThat(tested.places().all()).isEmpty();
        }
        assertThat(get(others.claims().release(held))).isTrue();
    }

    private CompletableFuture<Answer> askAndLoseTheSlot(Claim claim) throws Exception {
        answers.holdBack(SharingIT::isTake);
        CompletableFuture<Answer> asked = tested.claims().acquire(claim);
        answers.loseAnswer();
        return asked;
    }

    private static boolean isTake(Object message) {
        return message instanceof TxnRequest txn
                && txn.getSuccessList().stream().anyMatch(RequestOp::hasRequestPut)
                && txn.getSuccessList().stream().anyMatch(RequestOp::hasRequestDeleteRange);
    }

    @Test
    void aSlotThatSomebodyElseTookMeanwhileIsNotTakenAgain() throws Exception {
        // One in front has seen less than this one, and takes the slot that this one believes to be its own.
        Claim claim = slot("meanwhile", 2).queuedSince(1_000);
        Keys keys = Keys.below("shared");
        String inFront =
                keys.claim(claim.key(), Owner.random(new SecureRandom())).toStringUtf8();
        String taken = keys.slot(claim.key(), 1).toStringUtf8();
        server.etcdctl("put", inFront, "2\n1\n1000\ns2\n-\n1\nhost\n");
        answers.holdBack(SharingIT::isEnter);
        CompletableFuture<Answer> asked = tested.claims().acquire(claim);
        Runnable late = answers.answer();
        server.etcdctl("put", taken, "x");
        late.run();
        assertThat(get(asked)).isInstanceOf(Answer.Busy.class);
        assertThat(server.etcdctl("get", "--print-value-only", taken).output()).isEqualTo("x");
        // The one in front goes, so there is a slot for the next.
        server.etcdctl("del", inFront);
        await("granted").atMost(PATIENCE).until(() -> granted.contains(claim.owner()));
        assertThat(granted(ask(tested, claim)).slot()).isEqualTo(0);
        server.etcdctl("del", taken);
    }

    @Test
    void whoDiesGivesBackItsSlotAndItsShare() throws Exception {
        // Its clock stands still, so it sends no sign of life. The others' do too: only a watch can wake them.
        Duration brief = Duration.ofSeconds(1);
        String readWriteLock = LockKey.readWriteLock("dies").encoded();
        Claim dyingSlot = slot("dies", 1, brief);
        Claim dyingReader = claim(readWriteLock, brief).forReading();
        granted(ask(tested, dyingSlot));
        granted(ask(tested, dyingReader));
        Claim slot = slot("dies", 1).queuedSince(1_000);
        Claim writer = claim(readWriteLock, LONG).queuedSince(1_000);
        Claim reader = claim(readWriteLock, LONG).forReading().queuedSince(1_000);
        for (Claim each : List.of(slot, writer, reader)) {
            assertThat(ask(others, each)).isInstanceOf(Answer.Busy.class);
        }
        await("they are granted")
                .atMost(PATIENCE)
                .until(() -> granted.containsAll(Set.of(slot.owner(), writer.owner())));
        assertThat(granted).doesNotContain(reader.owner());
        get(others.claims().withdraw(writer.key(), writer.owner()));
        await("and the reader").atMost(PATIENCE).until(() -> granted.contains(reader.owner()));
    }

    @Test
    void whoWasGrantedAtOnceAndDidNotHearOfItIsGrantedOnce() throws Exception {
        // The lease of a request that nobody knows of is not used again: what hangs on it is given back first.
        String readWriteLock = LockKey.readWriteLock("not heard").encoded();
        granted(ask(others, claim(readWriteLock, LONG).forReading()));
        for (Claim claim : List.of(
                claim(readWriteLock, LONG).forReading().queuedSince(1_000),
                slot("not heard", 2).queuedSince(1_000))) {
            answers.holdBack(SharingIT::isEnter);
            CompletableFuture<Answer> asked = tested.claims().acquire(claim);
            answers.loseAnswer();
            assertThatThrownBy(() -> get(asked)).isNotNull();
            assertThatThrownBy(() -> ask(tested, claim)).hasCauseInstanceOf(NotSentException.class);
            Grant grant = granted(ask(tested, claim));
            assertThat(get(tested.inspection().describe(claim.key())))
                    .filteredOn(state -> state.tenure().isOf(claim.owner()))
                    .singleElement()
                    .extracting(state -> state.tokens())
                    .isEqualTo(TokenRange.endingWith(grant.lastToken(), 1));
            assertThat(get(tested.renewals().renew(List.of(holding(claim, grant)))))
                    .first()
                    .isInstanceOf(Renewal.Renewed.class);
        }
    }

    private static boolean isEnter(Object message) {
        return message instanceof TxnRequest txn
                && txn.getFailureList().stream().anyMatch(RequestOp::hasRequestTxn);
    }

    @Test
    void aReaderThatStandsBehindAWriterHoldsNothing() throws Exception {
        // Its key is there as it was granted, and so is a writer that was there before: the data were put back.
        Claim writer = claim(LockKey.readWriteLock("put back").encoded(), LONG);
        Claim reader = claim(writer.key(), LONG).forReading().queuedSince(1_000);
        Holding written = holding(writer, granted(ask(others, writer)));
        assertThat(ask(tested, reader)).isInstanceOf(Answer.Busy.class);
        Place place = tested.places().get(reader.owner());
        place.hold(LONG.toNanos());
        long token = ClaimData.lastToken(place.revision, 1);
        Holding held = new Holding(reader.key(), reader.owner(), token, LONG, 0, true);
        assertThat(get(tested.renewals().renew(List.of(held)))).first().isInstanceOf(Renewal.Gone.class);
        assertThat(get(others.renewals().renew(List.of(written)))).first().isInstanceOf(Renewal.Renewed.class);
        await("it is removed")
                .atMost(PATIENCE)
                .until(() -> get(others.inspection().describe(writer.key()))
                        .get(0)
                        .waiters()
                        .isEmpty());
    }

    @Test
    void eachStepCostsWhatTheManualSays() throws Exception {
        // The lease at the servers, and its guard.
        granted(ask(tested, claim("first", LONG)));
        String readWriteLock = LockKey.readWriteLock("cost").encoded();
        granted(ask(others, claim(readWriteLock, LONG).forReading()));
        granted(ask(others, slot("cost", 9)));

        Claim lock = claim("cost", LONG).queuedSince(1_000);
        Claim busyLock = claim("cost", LONG).queuedSince(1_000);
        Claim reader = claim(readWriteLock, LONG).forReading().queuedSince(1_000);
        Claim writer = claim(readWriteLock, LONG).queuedSince(1_000);
        Claim firstSlot = slot("nobody there", 9).queuedSince(1_000);
        Claim anotherSlot = slot("cost", 9).queuedSince(1_000);
        assertThat(requests(() -> granted(ask(tested, lock)))).as("a lock").isEqualTo(1);
        assertThat(requests(() -> ask(tested, busyLock)))
                .as("a lock that is taken")
                .isEqualTo(1);
        get(tested.claims().withdraw(busyLock.key(), busyLock.owner()));
        Holding read = reading(reader);
        assertThat(requests(() -> ask(tested, writer)))
                .as("a writer behind readers")
                .isEqualTo(1);
        get(tested.claims().withdraw(writer.key(), writer.owner()));
        assertThat(requests(() -> ask(tested, claim(readWriteLock, LONG))))
                .as("a writer that does not wait")
                .isEqualTo(1);
        assertThat(requests(() -> granted(ask(tested, firstSlot))))
                .as("the first slot")
                .isEqualTo(1);
        assertThat(requests(() -> granted(ask(tested, anotherSlot))))
                .as("another slot")
                .isEqualTo(2);
        assertThat(requests(() -> get(tested.claims().release(read))))
                .as("a release")
                .isEqualTo(1);
    }

    private Holding reading(Claim reader) throws Exception {
        Grant[] grant = new Grant[1];
        assertThat(requests(() -> grant[0] = granted(ask(tested, reader))))
                .as("a reader beside others")
                .isEqualTo(1);
        return holding(reader, grant[0]);
    }

    private interface Step {
        Object run() throws Exception;
    }

    /** Without watches. */
    private long requests(Step step) throws Exception {
        answers.sent.clear();
        step.run();
        return answers.sent.stream()
                .filter(each ->
                        each instanceof TxnRequest || each instanceof RangeRequest || each instanceof LeaseGrantRequest)
                .count();
    }

    private static List<String> keys(String semaphore) {
        String prefix = "shared/2/locks/" + LockKey.semaphore(semaphore).encoded();
        // A line feed is a part of the key of a slot.
        return server.etcdctl("get", "--prefix", prefix, "--keys-only")
                .output()
                .lines()
                .filter(line -> line.startsWith(prefix))
                .toList();
    }

    private static Claim slot(String name, int slots) {
        return slot(name, slots, LONG);
    }

    private static Claim slot(String name, int slots, Duration lease) {
        return claim(LockKey.semaphore(name).encoded(), lease).forAnyOf(slots);
    }

    private static Claim claim(String key, Duration lease) {
        return Claim.of(key, Owner.random(new SecureRandom()), lease, 1, new Holder("here", 1, ""));
    }

    private static Holding holding(Claim claim, Grant grant) {
        return new Holding(claim.key(), claim.owner(), grant.lastToken(), claim.lease(), grant.slot(), claim.shared());
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
        public void granted(String key, Owner owner, Grant grant) {
            granted.add(owner);
        }

        @Override
        public void maybeFree(String key) {}

        @Override
        public void lost(String key, Owner owner, String why) {}

        @Override
        public void recheckAll(String why) {}

        @Override
        public void notice(BackendNotice notice) {}
    }
}

package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.testing.ManualTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What stands in Redis for semaphores and read-write locks: written there by hand, or read there, one step at a time. */
@Timeout(240)
class SharedWireIT {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Keys KEYS = Keys.standard();
    private static final String NAME = "a";
    private static final String SEMAPHORE = LockKey.semaphore(NAME).encoded();
    private static final String RW_LOCK = LockKey.readWriteLock(NAME).encoded();
    private static final String RW = KEYS.readWriteLock(NAME);
    private static final String RW_QUEUE = KEYS.readWriteQueue(NAME);
    private static final String RW_SEEN = KEYS.ofClaim(RW_LOCK, 1)[3];

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private RedisBackend backend;

    @BeforeEach
    void open() {
        redis.call("FLUSHALL");
        backend = Patient.backend(redis.url());
        backend.open(new ManualTime(), new Reports());
    }

    @AfterEach
    void close() {
        backend.close();
    }

    // ---- steps

    private static Owner owner() {
        return Owner.random(new SecureRandom());
    }

    private static Claim permit(Owner owner, int slots) {
        return Claim.of(SEMAPHORE, owner, LEASE, 4, new Holder("here", 1, "")).forAnyOf(slots);
    }

    private static Claim writer() {
        return Claim.of(RW_LOCK, owner(), LEASE, 4, new Holder("here", 1, ""));
    }

    private static Claim reader() {
        return writer().forReading();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private Grant granted(Claim claim) throws Exception {
        return ((Answer.Granted) get(backend.tryAcquire(claim))).grant();
    }

    private Answer.Busy busy(Claim claim) throws Exception {
        return (Answer.Busy) get(backend.tryAcquire(claim));
    }

    private Holding holding(Claim claim, Duration lease) throws Exception {
        Grant grant = granted(claim);
        return new Holding(claim.key(), claim.owner(), grant.lastToken(), lease, grant.slot(), claim.shared());
    }

    private static long serverMillis() {
        List<?> time = (List<?>) redis.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
    }

    /** A tenure of somebody else, with this much left by the server's clock. */
    private static String value(Owner owner, Duration lease, Duration left, String kindAndNotes) {
        return owner + " 5 1 5 " + lease.toMillis() + " " + (serverMillis() + left.toMillis()) + " " + kindAndNotes
                + " 7 elsewhere somebody";
    }

    private static void plantSlot(int slot, String value, Duration left) {
        redis.call("SET", KEYS.slot(NAME, slot), value, "PX", Long.toString(left.toMillis()));
    }

    private static String slot(int slot) {
        return redis.text("GET", KEYS.slot(NAME, slot));
    }

    private static String plantHolder(Owner owner, Duration lease, Duration left, String kindAndNotes) {
        String value = value(owner, lease, left, kindAndNotes);
        redis.call("HSET", RW, owner.toString(), value);
        redis.call("PEXPIRE", RW, "600000");
        return value;
    }

    // ---- kinds and notes that this version does not know

    @Test
    void aSlotOfAnUnknownKindIsTakenAndShownAndNeverExtended() throws Exception {
        Owner theirs = owner();
        String value = value(theirs, LEASE, LEASE, "later a=1");
        plantSlot(0, value, LEASE);
        assertThat(granted(permit(owner(), 2)).slot()).isEqualTo(1);
        assertThat(busy(permit(owner(), 2)).heldBy()).isNotNull();
        Holding ours = new Holding(SEMAPHORE, theirs, 5, LEASE, 0, false);
        assertThat(get(backend.renew(List.of(ours)))).singleElement().isInstanceOf(Renewal.Gone.class);
        assertThat(get(backend.releaseLater(ours, Duration.ofMillis(1)))).isFalse();
        assertThat(slot(0)).isEqualTo(value);
        assertThat(get(backend.describe(SEMAPHORE))).extracting(LockState::slot).containsExactly(0, 1);
    }

    @Test
    void aHolderOfAnUnknownKindKeepsEverybodyOut() throws Exception {
        Owner theirs = owner();
        String value = plantHolder(theirs, LEASE, LEASE, "later -");
        assertThat(busy(reader()).heldBy()).isEqualTo(new Holder("elsewhere", 7, "somebody"));
        busy(writer());
        Holding ours = new Holding(RW_LOCK, theirs, 5, LEASE, 0, true);
        assertThat(get(backend.renew(List.of(ours)))).singleElement().isInstanceOf(Renewal.Gone.class);
        assertThat(redis.text("HGET", RW, theirs.toString())).isEqualTo(value);
    }

    @Test
    void notesThatNobodyKnowsAreKeptByEveryRewrite() throws Exception {
        Owner owner = owner();
        Duration longer = LEASE.multipliedBy(2);
        plantSlot(3, value(owner, LEASE, LEASE, "x by=me"), LEASE);
        Holding slot = new Holding(SEMAPHORE, owner, 5, longer, 3, false);
        plantHolder(owner, LEASE, LEASE, "x by=me");
        Holding writing = new Holding(RW_LOCK, owner, 5, longer, 0, false);
        assertThat(get(backend.renew(List.of(slot, writing)))).allMatch(Renewal.Renewed.class::isInstance);
        assertThat(get(backend.releaseLater(slot, LEASE))).isTrue();
        assertThat(get(backend.releaseLater(writing, LEASE))).isTrue();
        assertThat(slot(3)).containsPattern(" 60000 \\d{13} x by=me 7 ");
        assertThat(redis.text("HGET", RW, owner.toString())).containsPattern(" 60000 \\d{13} x by=me 7 ");
    }

    @Test
    void whatHoldfastDidNotWriteIsRefusedAndLeftAlone() throws Exception {
        redis.call("RPUSH", KEYS.slot(NAME, 0), "theirs");
        assertThatThrownBy(() -> get(backend.tryAcquire(permit(owner(), 1))))
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining(KEYS.slot(NAME, 0));
        assertThat(redis.text("LINDEX", KEYS.slot(NAME, 0), "0")).isEqualTo("theirs");
        redis.call("SET", RW, "theirs");
        assertThatThrownBy(() -> get(backend.tryAcquire(reader())))
                .hasCauseInstanceOf(RefusedException.class)
                .hasMessageContaining(RW);
        assertThatThrownBy(() -> get(backend.describe(RW_LOCK))).hasCauseInstanceOf(RefusedException.class);
        assertThat(redis.text("GET", RW)).isEqualTo("theirs");
    }

    // ---- the clock

    @Test
    void moreTimeThanTheLeaseIsCutToTheLease() throws Exception {
        // The server's clock was set back by an hour; whoever held these died before that.
        Duration hour = Duration.ofHours(1);
        plantSlot(0, value(owner(), LEASE, hour, "x -"), hour);
        assertThat(busy(permit(owner(), 1)).retryAfter()).isLessThanOrEqualTo(LEASE.plusSeconds(1));
        assertThat((Long) redis.call("PTTL", KEYS.slot(NAME, 0))).isBetween(1L, LEASE.toMillis());
        plantHolder(owner(), LEASE, hour, "r -");
        assertThat(busy(writer()).retryAfter()).isLessThanOrEqualTo(LEASE.plusSeconds(1));
        assertThat(get(backend.describe(RW_LOCK)))
                .singleElement()
                .satisfies(state -> assertThat(state.remaining()).isLessThanOrEqualTo(LEASE));
    }

    @Test
    void aRenewalNeverShortensAndAlwaysCorrects() throws Exception {
        Claim claim = permit(owner(), 1);
        Holding held = holding(claim, Duration.ofSeconds(1));
        assertThat(get(backend.renew(List.of(held)))).singleElement().isInstanceOf(Renewal.Renewed.class);
        assertThat((Long) redis.call("PTTL", KEYS.slot(NAME, 0))).isGreaterThan(5_000);
        // As after a clock that was set back by an hour.
        String[] fields = slot(0).split(" ", 7);
        fields[5] = Long.toString(serverMillis() + Duration.ofHours(1).toMillis());
        plantSlot(0, String.join(" ", fields), Duration.ofHours(1));
        assertThat(get(backend.renew(List.of(held)))).singleElement().isInstanceOf(Renewal.Renewed.class);
        assertThat((Long) redis.call("PTTL", KEYS.slot(NAME, 0))).isLessThanOrEqualTo(LEASE.toMillis() + 1);
    }

    @Test
    void whoExpiredIsRemovedByTheNextAndCannotComeBack() throws Exception {
        Owner dead = owner();
        plantHolder(dead, LEASE, Duration.ofSeconds(-1), "r -");
        Holding over = new Holding(RW_LOCK, dead, 5, LEASE, 0, true);
        assertThat(get(backend.renew(List.of(over)))).singleElement().isInstanceOf(Renewal.Gone.class);
        assertThat(get(backend.describe(RW_LOCK))).isEmpty();
        granted(reader());
        assertThat(redis.call("HLEN", RW)).isEqualTo(1L);
        assertThat((Long) redis.call("PTTL", RW)).as("nothing is immortal").isPositive();
        assertThat(get(backend.release(over))).isFalse();
    }

    // ---- the queues

    @Test
    void aWaiterWithFewerSlotsKeepsItsPlaceAndTheQueueItsExpiry() throws Exception {
        Holding zero = holding(permit(owner(), 2), LEASE);
        Holding one = holding(permit(owner(), 2), LEASE);
        assertThat(one.slot()).isEqualTo(1);
        Owner waiting = owner();
        // As after two seconds here: somebody who listens to another channel, and counts with one slot.
        String entry = waiting + " holdfast:2:inbox:nobody 60000 1 0 1 x since=5 7 elsewhere next";
        redis.call("RPUSH", KEYS.slotQueue(NAME), entry);
        redis.call("PEXPIRE", KEYS.slotQueue(NAME), "60000");
        assertThat(get(backend.release(one))).isTrue();
        assertThat(redis.text("LINDEX", KEYS.slotQueue(NAME), "0")).isEqualTo(entry);
        assertThat((Long) redis.call("PTTL", KEYS.slotQueue(NAME))).isPositive();
        // Free for whoever counts with it, though somebody waits for the other.
        assertThat(granted(permit(owner(), 2)).slot()).isEqualTo(1);
        assertThat(get(backend.release(zero))).isTrue();
        assertThat(slot(0)).startsWith(waiting + " ");
    }

    @Test
    void aWriterThatHasGoneDoesNotKeepReadersOutBesideOthers() throws Exception {
        granted(reader());
        Owner gone = owner();
        redis.call("RPUSH", RW_QUEUE, gone + " holdfast:2:inbox:nobody 60000 1 1 x since=5 7 elsewhere gone");
        String next = owner() + " holdfast:2:inbox:other 60000 1 1 r since=6 7 elsewhere next";
        redis.call("RPUSH", RW_QUEUE, next);
        // It is given its time to be seen.
        assertThat(look(next)).isEqualTo(List.of(0L));
        busy(reader());
        assertThat(redis.text("GET", RW_SEEN)).startsWith(gone + " ");
        redis.call("SET", RW_SEEN, gone + " " + (serverMillis() - 9_000));
        assertThat(look(next)).isEqualTo(List.of(0L));
        redis.call("SET", RW_SEEN, gone + " " + (serverMillis() - 11_000));
        assertThat(look(next)).isEqualTo(List.of(0L, 1L));
        granted(reader());
        assertThat(redis.call("LLEN", RW_QUEUE)).isEqualTo(0L);
    }

    @Test
    void aWriterInFrontThatLooksIsSeen() throws Exception {
        granted(reader());
        Owner waiting = owner();
        String entry = waiting + " holdfast:2:inbox:other 60000 1 1 x since=5 7 elsewhere next";
        redis.call("RPUSH", RW_QUEUE, entry);
        redis.call("SET", RW_SEEN, waiting + " " + (serverMillis() - 11_000));
        assertThat(look(entry)).isEqualTo(List.of(0L));
        busy(reader());
        assertThat(redis.text("LINDEX", RW_QUEUE, "0")).isEqualTo(entry);
    }

    private static Object look(String entry) {
        return redis.call("EVAL", Script.RW_LOOK.source(), "3", RW, RW_QUEUE, RW_SEEN, "", "echo 1", entry);
    }

    // ---- many at once

    @Test
    void manyTenuresOfAllKindsAreRenewedByThreeRequests() throws Exception {
        List<Holding> all = new ArrayList<>();
        List<CompletionStage<Answer>> answers = new ArrayList<>();
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            claims.add(permit(owner(), 300));
            claims.add(reader());
            claims.add(Claim.of("lock-" + i, owner(), LEASE, 1, new Holder("here", 1, "")));
        }
        claims.forEach(claim -> answers.add(backend.tryAcquire(claim)));
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            Grant grant = ((Answer.Granted) get(answers.get(i))).grant();
            all.add(new Holding(claim.key(), claim.owner(), grant.lastToken(), LEASE, grant.slot(), claim.shared()));
        }
        redis.resetCounts();
        assertThat(get(backend.renew(all))).hasSize(900).allMatch(Renewal.Renewed.class::isInstance);
        assertThat(redis.calls("evalsha") + redis.calls("eval")).isLessThanOrEqualTo(6);
    }
}

package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.redis.testing.Resp;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.testing.ManualTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What clients of later and earlier versions may have left at the server, written there by hand. */
@Timeout(240)
class WireVersionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final String NAME = "a";
    private static final Keys KEYS = Keys.standard();
    private static final String LOCK = KEYS.lock(NAME);
    private static final String QUEUE = KEYS.queue(NAME);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private final String owner = Owner.random(new SecureRandom()).toString();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client() {
        // Whoever is served has all the time of the test to be seen with its turn.
        return Holdfast.builder(
                        Patient.builder(redis.url()).claimWindow(PATIENCE).connect())
                .lease(LEASE)
                .build();
    }

    private static String lock() {
        return redis.text("GET", LOCK);
    }

    private String value(String kindAndNotes) {
        return owner + " 5 1 5 " + LEASE.toMillis() + " " + kindAndNotes + " 7 elsewhere somebody";
    }

    private static List<String> codes(Holdfast holdfast) throws InterruptedException {
        return holdfast.diagnose().stream().map(Finding::code).toList();
    }

    // ---- a kind that this version does not know

    @Test
    void aLockOfAnUnknownKindIsBusyAndShownAndFreeAfterItsTime() throws Exception {
        String value = value("shared a=1,b=2");
        redis.call("SET", LOCK, value, "PX", "20000");
        try (Holdfast holdfast = client()) {
            assertThat(holdfast.lock(NAME).tryAcquire()).isEmpty();
            LockState shown = holdfast.inspect(NAME).orElseThrow();
            assertThat(shown.holder()).isEqualTo(new Holder("elsewhere", 7, "somebody"));
            assertThat(holdfast.list("", 10)).hasSize(1);
            assertThat(lock()).isEqualTo(value);
            // Comes back by what is left.
            redis.call("PEXPIRE", LOCK, "500");
            holdfast.lock(NAME).acquire(PATIENCE).close();
        }
    }

    @Test
    void aLockOfAnUnknownKindIsNeverExtendedNotEvenUnderOurOwner() throws Exception {
        // The same owner, whatever that means then: it is not what we hold.
        RedisBackend backend = Patient.backend(redis.url());
        try {
            backend.open(new ManualTime(), new Reports());
            Owner ours = Owner.parse(owner);
            Claim claim = Claim.of(NAME, ours, LEASE, 1, new Holder("here", 1, ""));
            Answer.Granted granted = (Answer.Granted) get(backend.tryAcquire(claim));
            Holding holding = new Holding(NAME, ours, granted.grant().lastToken(), LEASE);
            String unknown = lock().replace(" x - ", " shared - ");
            redis.call("SET", LOCK, unknown, "PX", "15000");
            assertThat(get(backend.renew(List.of(holding)))).singleElement().isInstanceOf(Renewal.Gone.class);
            assertThat(get(backend.tryAcquire(claim))).isInstanceOf(Answer.Busy.class);
            assertThat(get(backend.releaseLater(holding, Duration.ofMillis(1)))).isFalse();
            assertThat(lock()).isEqualTo(unknown);
            assertThat((Long) redis.call("PTTL", LOCK)).isBetween(1L, 15_000L);
        } finally {
            backend.close();
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aWaiterOfAnUnknownKindIsServedWithItsKindAndWithoutItsNotes() throws Exception {
        try (Resp inbox = new Resp(redis.port());
                Holdfast holdfast = client()) {
            inbox.call("SUBSCRIBE", "holdfast:2:inbox:later");
            Lease lease = holdfast.lock(NAME).acquire(PATIENCE);
            redis.call(
                    "RPUSH",
                    QUEUE,
                    owner + " holdfast:2:inbox:later 20000 1 1 shared since=5000,much=more 7 elsewhere next");
            assertThat(holdfast.inspect(NAME).orElseThrow().waiters())
                    .singleElement()
                    .satisfies(waiting -> {
                        assertThat(waiting.process()).isEqualTo(new Holder("elsewhere", 7, "next"));
                        assertThat(waiting.since()).isEqualTo(Instant.ofEpochSecond(5));
                    });
            lease.close();
            assertThat(lock()).startsWith(owner + " ").contains(" shared - 7 elsewhere next");
        }
    }

    // ---- notes

    @Test
    void notesThatNobodyKnowsAreKeptByEveryRewrite() throws Exception {
        RedisBackend backend = Patient.backend(redis.url());
        try {
            backend.open(new ManualTime(), new Reports());
            redis.call("SET", LOCK, value("x slot=3,by=me"), "PX", "15000");
            Holding longer = new Holding(NAME, Owner.parse(owner), 5, LEASE.multipliedBy(2));
            assertThat(get(backend.renew(List.of(longer)))).singleElement().isInstanceOf(Renewal.Renewed.class);
            assertThat(lock()).isEqualTo(value("x slot=3,by=me").replace(" 20000 ", " 40000 "));
            assertThat(get(backend.releaseLater(longer, LEASE))).isTrue();
            assertThat(lock()).isEqualTo(value("x slot=3,by=me"));
        } finally {
            backend.close();
        }
    }

    @Test
    void whoWaitsIsShownWithItsTime() throws Exception {
        try (Holdfast one = client();
                Holdfast other = client()) {
            Lease lease = one.lock(NAME).acquire(PATIENCE);
            Instant before = Instant.now().minusSeconds(1);
            CompletableFuture<Lease> waiting = other.lock(NAME).acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> one.inspect(NAME).orElseThrow().waiters().size() == 1);
            assertThat(one.inspect(NAME).orElseThrow().waiters().get(0).since())
                    .isBetween(before, Instant.now().plusSeconds(1));
            assertThat(redis.text("LINDEX", QUEUE, "0")).containsPattern(" x since=\\d{13} ");
            lease.close();
            waiting.get().close();
        }
    }

    // ---- clients of another wire version

    @Test
    void locksOfAnotherVersionAreFoundByTheDiagnosisAndLeftAlone() throws Exception {
        redis.call("SET", "holdfast:1:{539}:lock:invoice-42", "whatever it says", "PX", "60000");
        try (Holdfast holdfast = client()) {
            assertThat(codes(holdfast)).contains("redis.other-version");
            assertThat(holdfast.list("", 10)).isEmpty();
            assertThat(redis.text("GET", "holdfast:1:{539}:lock:invoice-42")).isEqualTo("whatever it says");
        }
        try (Holdfast elsewhere =
                Holdfast.over(Patient.builder(redis.url()).namespace("shop").connect())) {
            assertThat(codes(elsewhere)).noneMatch(code -> code.startsWith("redis.other-version"));
        }
    }

    @Test
    void countersThatAnotherVersionLeftAreNotTakenForClients() throws Exception {
        redis.call("SET", "holdfast:1:{539}:fence", "17");
        try (Holdfast holdfast = client()) {
            assertThat(codes(holdfast)).contains("redis.other-version-left").doesNotContain("redis.other-version");
        }
        empty();
        try (Holdfast holdfast = client()) {
            assertThat(codes(holdfast)).noneMatch(code -> code.startsWith("redis.other-version"));
        }
    }

    @Test
    void theDocumentedPrivilegesAreEnoughForIt() throws Exception {
        // SCAN shows the names of all keys, whichever the user may read.
        redis.call("SET", "holdfast:1:{539}:lock:invoice-42", "whatever it says", "PX", "60000");
        redis.call((new Errors("x", KEYS.prefix()).aclLine("least") + " on >secret").split(" ", -1));
        try (Holdfast holdfast = Patient.client(redis.url("least", "secret"))) {
            assertThat(codes(holdfast)).contains("redis.other-version");
            redis.call("ACL", "SETUSER", "least", "-scan");
            assertThat(codes(holdfast)).contains("redis.server").noneMatch(code -> code.startsWith("redis.other"));
        } finally {
            redis.call("ACL", "DELUSER", "least");
        }
    }
}

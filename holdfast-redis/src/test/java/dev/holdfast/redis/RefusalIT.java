package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import dev.holdfast.redis.testing.StubServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server can say no to, and what we make of it: each answer names the server, the reason and the remedy. */
@Timeout(240)
class RefusalIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @AfterEach
    void mend() {
        redis.call("FLUSHALL");
        redis.call("CONFIG", "SET", "maxmemory", "0");
        redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
        redis.call("CONFIG", "SET", "busy-reply-threshold", "5000");
    }

    private static String address() {
        return "127.0.0.1:" + redis.port();
    }

    private static Holdfast over(String url) {
        return Patient.client(url);
    }

    private static Throwable failureOf(Holdfast holdfast, String name, Duration maxWait) {
        return catchThrowable(() -> holdfast.lock(name).acquire(maxWait).close());
    }

    /** The failure of one that gives up soon, but not before the server has said anything. */
    private static Throwable quickFailureOf(Holdfast holdfast, String name) {
        Duration maxWait = Duration.ofMillis(300);
        Throwable failure = failureOf(holdfast, name, maxWait);
        while (String.valueOf(failure).contains("no answer") && maxWait.compareTo(PATIENCE) < 0) {
            maxWait = maxWait.multipliedBy(2);
            failure = failureOf(holdfast, name, maxWait);
        }
        return failure;
    }

    @Test
    void aWrongPasswordFailsAtOnce() {
        // A user with another password; then no password where one is needed.
        redis.call("ACL", "SETUSER", "alice", "on", ">right", "~*", "&*", "+@all");
        assertThatThrownBy(() -> Patient.backend(redis.url("alice", "wrong")))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(address())
                .hasMessageContaining("password")
                .hasMessageNotContaining("wrong");
        try (RedisServer closed =
                RedisServer.embedded("--requirepass", "secret").start()) {
            assertThatThrownBy(() -> Patient.backend(closed.url()))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("password");
        }
    }

    @Test
    void theDocumentedAclLineIsEnough() throws Exception {
        // A user with exactly the printed line acquires, waits, is served, lists, inspects, breaks and diagnoses.
        String line = new Errors("x", Keys.standard().prefix()).aclLine("least");
        redis.call((line + " on >secret").split(" ", -1));
        try (Holdfast one = over(redis.url("least", "secret"));
                Holdfast other = over(redis.url("least", "secret"))) {
            Lease first = one.lock("least").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = other.lock("least").acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> one.inspect("least").orElseThrow().waiters().size() == 1);
            assertThat(one.list("le", 10)).hasSize(1);
            first.close();
            Lease second = waiting.get();
            assertThat(second.token().value()).isGreaterThan(first.token().value());
            assertThat(one.breakLock(one.inspect("least").orElseThrow())).isPresent();
            assertThat(one.diagnose()).isNotEmpty();
            second.close();
        }
    }

    @Test
    void whatDiagnosisMayNotAskItLeavesOut() throws Exception {
        // Without INFO nothing is known of the server, and locks are handed over all the same.
        String line = new Errors("x", Keys.standard().prefix()).aclLine("blind");
        redis.call((line + " -info on >secret").split(" ", -1));
        try (Holdfast one = over(redis.url("blind", "secret"));
                Holdfast other = over(redis.url("blind", "secret"))) {
            Lease first = one.lock("blind").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = other.lock("blind").acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> one.inspect("blind").orElseThrow().waiters().size() == 1);
            first.close();
            waiting.get().close();
            assertThat(one.diagnose()).extracting(Finding::code).contains("redis.info-refused");
        }
    }

    @Test
    void aForbiddenCommandIsNamedWithTheLineThatPermitsIt() throws Exception {
        // Forbidden inside a script, forbidden as a request, a forbidden key, a forbidden channel.
        assertThat(refusalFor("-pexpire")).hasMessageContaining("PEXPIRE");
        assertThat(refusalFor("-rpush")).hasMessageContaining("the command RPUSH");
        assertThat(refusalFor("-evalsha")).hasMessageContaining("the command EVALSHA");
        assertThat(refusalFor("resetkeys")).hasMessageContaining("keys");
        assertThat(refusalFor("-subscribe")).hasMessageContaining("SUBSCRIBE");
        assertThat(refusalFor("resetchannels")).hasMessageContaining("channels");
    }

    private static Throwable refusalFor(String change) throws Exception {
        String line = new Errors("x", "holdfast:2:shop:").aclLine("bob");
        redis.call("ACL", "DELUSER", "bob");
        redis.call((line + " on >secret " + change).split(" ", -1));
        try (Holdfast holder = inShop(redis.url());
                Holdfast forbidden = inShop(redis.url("bob", "secret"))) {
            // Held by another, so that the refused one has to queue.
            Lease held = holder.lock("a").acquire(PATIENCE);
            Throwable failure = failureOf(forbidden, "a", PATIENCE);
            held.close();
            assertThat(failure)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("ACL SETUSER <user> resetkeys ~holdfast:2:shop:* resetchannels");
            return failure;
        }
    }

    private static Holdfast inShop(String url) {
        return Holdfast.over(Patient.builder(url).namespace("shop").connect());
    }

    @Test
    void aReadOnlyReplicaSendsUsToThePrimary() throws Exception {
        // Connecting works, diagnosing says what is wrong, acquiring fails at once.
        try (RedisServer replica = RedisServer.embedded("--replicaof", "127.0.0.1 " + redis.port())
                        .start();
                Holdfast holdfast = over(replica.url())) {
            await().atMost(PATIENCE)
                    .until(() -> replica.text("INFO", "replication").contains("master_link_status:up"));
            assertThat(failureOf(holdfast, "a", PATIENCE))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("read-only replica")
                    .hasMessageContaining("primary");
            assertThat(holdfast.diagnose())
                    .anyMatch(finding -> finding.code().equals("redis.replica")
                            && finding.severity() == Severity.DANGER
                            && finding.remedy().contains("127.0.0.1:" + redis.port()));
        }
    }

    @Test
    void aFullServerIsUnavailableAndWhatIsHeldCanBeReleased() throws Exception {
        // Memory runs out while a lock is held and waited for. The lock goes on to the waiter; new ones are refused.
        try (Holdfast holdfast = over(redis.url());
                Holdfast other = over(redis.url())) {
            Lease held = holdfast.lock("held").acquire(PATIENCE);
            CompletableFuture<Lease> waiting = other.lock("held").acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() ->
                            holdfast.inspect("held").orElseThrow().waiters().size() == 1);
            redis.call("CONFIG", "SET", "maxmemory", "1");
            assertThat(quickFailureOf(other, "new"))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("out of memory")
                    .hasMessageContaining("maxmemory");
            held.close();
            waiting.get().close();
            redis.call("CONFIG", "SET", "maxmemory", "0");
            other.lock("new").acquire(PATIENCE).close();
        }
    }

    @Test
    void evictionOfLocksIsFoundDangerous() throws Exception {
        redis.call("CONFIG", "SET", "maxmemory", "100mb");
        redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
        try (Holdfast holdfast = over(redis.url())) {
            assertThat(holdfast.diagnose())
                    .anyMatch(finding ->
                            finding.code().equals("redis.eviction") && finding.severity() == Severity.DANGER);
            redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
            assertThat(holdfast.diagnose()).noneMatch(finding -> finding.severity() == Severity.DANGER);
        }
    }

    @Test
    void aForeignValueUnderOurKeysIsNamedAndKept() throws Exception {
        // A list and a text where the lock should be, a text in the counter, a text instead of the queue.
        try (Holdfast holdfast = over(redis.url())) {
            String[] keys = Keys.standard().of("a");
            assertForeign(holdfast, keys[0], "LPUSH", keys[0], "x");
            assertForeign(holdfast, keys[0], "SET", keys[0], "not ours");
            assertForeign(holdfast, keys[0], "SET", keys[0], "AAAAAAAAAAAAAAAAAAAAAA 5 1 5 30000 x - 7 host no expiry");
            assertForeign(holdfast, keys[2], "SET", keys[2], "many");
            assertForeign(holdfast, keys[2], "SADD", keys[2], "many");
            assertForeign(holdfast, keys[1], "SET", keys[1], "not a queue");
        }
    }

    @Test
    void whoLooksIsToldOfAForeignValueAsWhoAcquires() throws Exception {
        // It used to be "nobody holds it" for a name that nobody could have.
        try (Holdfast holdfast = over(redis.url())) {
            String lock = Keys.standard().lock("a");
            assertThat(holdfast.inspect("a")).isEmpty();
            assertForeignToLook(holdfast, lock, "SET", lock, "not ours");
            assertForeignToLook(holdfast, lock, "LPUSH", lock, "x");
            assertForeignToLook(holdfast, lock, "SET", lock, "AAAAAAAAAAAAAAAAAAAAAA 5 1 5 30000 x - 7 host no expiry");
        }
    }

    private static void assertForeignToLook(Holdfast holdfast, String key, String... command) {
        redis.call(command);
        assertThatThrownBy(() -> holdfast.inspect("a"))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("did not write")
                .hasMessageContaining(key);
        redis.call("DEL", key);
    }

    private static void assertForeign(Holdfast holdfast, String key, String... command) {
        redis.call(command);
        String before = redis.text("DUMP", key);
        assertThat(failureOf(holdfast, "a", PATIENCE))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("did not write")
                .hasMessageContaining(key);
        assertThat(redis.text("DUMP", key)).isEqualTo(before);
        redis.call("FLUSHALL");
    }

    @Test
    void aCounterAtTheEndOfItsRangeIsRefusedAndDoesNotWrap() throws Exception {
        try (Holdfast holdfast = over(redis.url())) {
            String fence = Keys.standard().of("a")[2];
            redis.call("SET", fence, "9007199254740991");
            assertThat(failureOf(holdfast, "a", PATIENCE))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("2^53")
                    .hasMessageContaining(fence);
            assertThat(redis.text("GET", fence)).isEqualTo("9007199254740991");
        }
    }

    @Test
    void aLoadingServerIsWaitedFor() throws Exception {
        // It says LOADING a few times, then serves.
        try (StubServer stub = new StubServer(command -> switch (command) {
                    case "INFO" -> StubServer.info("7.0.15");
                    case "SUBSCRIBE" -> "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1";
                    default -> "-LOADING Redis is loading the dataset in memory";
                });
                Holdfast holdfast = over(stub.url())) {
            assertThat(quickFailureOf(holdfast, "a"))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("loading");
        }
    }

    @Test
    void aServerThatIsTooOldIsRefusedAtTheFirstConnect() throws Exception {
        try (StubServer stub = new StubServer(command -> StubServer.info("6.0.16"))) {
            assertThatThrownBy(() -> Patient.backend(stub.url()))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("6.0.16")
                    .hasMessageContaining("6.2");
        }
    }

    @Test
    void aKilledScriptIsTriedAgain() throws Exception {
        // Our scripts are too short to be killed in earnest.
        try (StubServer stub = new StubServer(command -> switch (command) {
                    case "INFO" -> StubServer.info("7.0.15");
                    case "SUBSCRIBE" -> "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1";
                    case "TIME" -> "*2\r\n$1\r\n5\r\n$1\r\n0";
                    default ->
                        "-ERR Error running script (call to f_x): @user_script:1: Script killed by user with SCRIPT"
                                + " KILL...";
                });
                Holdfast holdfast = over(stub.url())) {
            assertThat(quickFailureOf(holdfast, "a"))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("killed our script");
        }
    }

    @Test
    void somebodyElsesEndlessScriptHoldsUsUpUntilItIsKilled() throws Exception {
        redis.call("CONFIG", "SET", "busy-reply-threshold", "50");
        try (Holdfast holdfast = over(redis.url());
                Resp endless = new Resp(redis.port())) {
            holdfast.lock("a").acquire(PATIENCE).close();
            endless.send("EVAL", "while true do end", "0");
            await().ignoreExceptions().atMost(PATIENCE).until(() -> failsWith("BUSY"));
            assertThat(quickFailureOf(holdfast, "a"))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("busy with somebody's script");
            CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(PATIENCE);
            redis.call("SCRIPT", "KILL");
            waiting.get().close();
        }
    }

    private static boolean failsWith(String error) {
        Throwable failure = catchThrowable(() -> redis.call("PING"));
        return failure != null && String.valueOf(failure.getMessage()).contains(error);
    }

    @Test
    void aServerThatIsNotThereIsNamedAtOnce() throws Exception {
        int port;
        try (RedisServer gone = RedisServer.embedded()) {
            port = gone.port();
        }
        long before = System.nanoTime();
        assertThatThrownBy(() -> Patient.backend("redis://127.0.0.1:" + port))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("refused");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Patient.TIMEOUT.dividedBy(2));
        assertThatThrownBy(() -> RedisBackend.connect("http://127.0.0.1:" + port))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redis://");
    }
}

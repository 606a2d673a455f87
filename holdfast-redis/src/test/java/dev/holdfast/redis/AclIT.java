package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.LockState;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The printed ACL line is enough, and nothing in it is too much. */
@Timeout(300)
class AclIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For what never comes: much longer than all of it takes. Some refusals are only repeated, and told to nobody. */
    private static final Duration IN_VAIN = Duration.ofSeconds(15);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private static List<String> line() {
        String line = new Errors("x", Keys.standard().prefix()).aclLine("least") + " on >secret";
        return List.of(line.split(" ", -1));
    }

    static Stream<String> entries() {
        return line().stream().filter(word -> word.startsWith("+") || word.startsWith("~") || word.startsWith("&"));
    }

    @Test
    void theLineIsEnough() throws Exception {
        assertThat(problem(line(), PATIENCE)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void noEntryCanBeLeftOut(String entry) throws Exception {
        // Three of them used to be there for nothing.
        assertThat(problem(line().stream().filter(word -> !word.equals(entry)).toList(), IN_VAIN))
                .isNotEmpty();
    }

    /** What goes wrong for a user with this line in all that locking does; empty if nothing does. */
    private static String problem(List<String> line, Duration limit) throws Exception {
        redis.call("FLUSHALL");
        redis.call("SCRIPT", "FLUSH");
        redis.call("ACL", "DELUSER", "least");
        redis.call(line.toArray(String[]::new));
        List<String> disturbances = new CopyOnWriteArrayList<>();
        try (Holdfast one = client(disturbances, limit);
                Holdfast other = client(disturbances, limit)) {
            useAll(one, other, limit);
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause());
        } catch (Exception e) {
            return String.valueOf(e);
        }
        return disturbances.stream()
                .filter(text -> text.contains("permit"))
                .findFirst()
                .orElse("");
    }

    private static Holdfast client(List<String> disturbances, Duration limit) {
        return Holdfast.builder(Patient.backend(redis.url("least", "secret")))
                .closeGrace(Duration.ZERO)
                .unavailableAfter(limit)
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        disturbances.add(notice.text());
                    }
                })
                .build();
    }

    private static void useAll(Holdfast one, Holdfast other, Duration limit) throws Exception {
        Lease first = one.lock("a").acquire(limit);
        CompletableFuture<Lease> waiting = other.lock("a").acquireAsync(limit);
        awaitWaiter(one, "a", waiting, limit);
        // Back under another channel, in the same place.
        String before = inbox();
        redis.call("CLIENT", "KILL", "TYPE", "pubsub");
        await().atMost(limit).until(() -> waiting.isDone() || !inbox().equals(before));
        // Another who comes and goes.
        Lease held = one.lock("b").acquire(limit);
        CompletableFuture<Lease> left = other.lock("b").acquireAsync(limit);
        awaitWaiter(one, "b", left, limit);
        left.cancel(false);
        await("the withdrawal")
                .atMost(limit)
                .until(() -> one.inspect("b").orElseThrow().waiters().isEmpty());
        held.close();
        if (one.list("", 10).size() != 1) {
            throw new IllegalStateException("A lock was not released");
        }
        first.close();
        Lease second = waiting.get(limit.toSeconds(), TimeUnit.SECONDS);
        LockState seen = one.inspect("a").orElseThrow();
        assertThat(one.breakLock(seen)).isPresent();
        if (one.diagnose().stream().anyMatch(finding -> finding.code().equals("redis.info-refused"))) {
            throw new IllegalStateException("The server cannot be examined");
        }
        second.close();
        usePermits(one, other, limit);
        readAndWrite(one, other, limit);
    }

    /** The waiter counts with fewer slots than there are: it must not lose its place when one of the others is freed. */
    private static void usePermits(Holdfast one, Holdfast other, Duration limit) throws Exception {
        Lease first = one.semaphore("s", 2).acquire(limit);
        Lease second = one.semaphore("s", 2).acquire(limit);
        CompletableFuture<Lease> waiting = other.semaphore("s", 1).acquireAsync(limit);
        awaitWaiter(one, waiting, limit);
        second.close();
        if (shown(one).size() != 1) {
            throw new IllegalStateException("A slot was not released");
        }
        first.close();
        waiting.get(limit.toSeconds(), TimeUnit.SECONDS).close();
    }

    private static void readAndWrite(Holdfast one, Holdfast other, Duration limit) throws Exception {
        Lease reading = one.readWriteLock("s").read().acquire(limit);
        CompletableFuture<Lease> waiting = other.readWriteLock("s").write().acquireAsync(limit);
        awaitWaiter(one, waiting, limit);
        reading.close();
        waiting.get(limit.toSeconds(), TimeUnit.SECONDS).close();
    }

    /** All that are held, except those of an earlier step. */
    private static List<LockState> shown(Holdfast holdfast) throws InterruptedException {
        return holdfast.list("s", 10);
    }

    private static void awaitWaiter(Holdfast holdfast, CompletableFuture<Lease> waiting, Duration limit)
            throws Exception {
        await().atMost(limit)
                .until(() -> waiting.isDone()
                        || shown(holdfast).stream()
                                .anyMatch(state -> state.waiters().size() == 1));
        if (waiting.isDone()) {
            waiting.get();
        }
    }

    private static void awaitWaiter(Holdfast holdfast, String name, CompletableFuture<Lease> waiting, Duration limit)
            throws Exception {
        await().atMost(limit)
                .until(() -> waiting.isDone()
                        || holdfast.inspect(name).orElseThrow().waiters().size() == 1);
        if (waiting.isDone()) {
            waiting.get();
        }
    }

    private static String inbox() {
        return redis.text("LINDEX", Keys.standard().queue("a"), "0");
    }

    @Test
    void everyUserIsToldTheNumberOfItsConnection() {
        RedisBackend backend = null;
        redis.call("ACL", "DELUSER", "least");
        redis.call(line().toArray(String[]::new));
        try {
            backend = Patient.backend(redis.url("least", "secret"));
            assertThat(backend.connectionMark()).isNotZero();
        } finally {
            if (backend != null) {
                backend.close();
            }
        }
    }

    @Test
    void theLineHasNoCommandTwice() {
        List<String> words = line();
        assertThat(words).doesNotHaveDuplicates();
        assertThat(Arrays.asList("+ping", "+unsubscribe", "+exists", "+client")).noneMatch(words::contains);
    }
}

package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node does the same for many requests in a batch as for each of them alone. */
@Timeout(400)
class RedlockBatchIT {
    private static final Keys KEYS = Keys.standard().ofQuorum();
    private static final String ADMITTED = "admitted 5:run:data ";
    private static final String NEVER = "9000000000000000";
    /** Ahead of any clock, so that tokens do not depend on it. */
    private static final String COUNTER = "5000000000000000";

    /** The last two have their counter in common. */
    private static final List<String> NAMES = List.of("x", "y", "z", namesake("z"));

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private Resp connection;
    private Resp listener;

    private static String namesake(String name) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "n" + i)
                .filter(other -> Keys.bucket(other) == Keys.bucket(name))
                .findFirst()
                .orElseThrow();
    }

    @BeforeEach
    void connect() throws IOException {
        connection = new Resp(redis.port());
        listener = new Resp(redis.port());
        listener.call("SUBSCRIBE", "awake");
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        listener.close();
    }

    // ---- what is asked

    private static Call claim(String name, String owner, String lease, String inbox, int round) {
        String entry = inbox.isEmpty() ? "" : owner + " " + inbox + " " + lease + " x since=5 7 here ";
        String[] arguments = {ADMITTED, owner, "" + round, lease, "16", "x - 7 here ", NEVER, "100", entry};
        return new Call(Script.QUORUM_ACQUIRE, KEYS.ofQuorum(name), arguments);
    }

    private static Call release(String name, String owner) {
        return new Call(Script.QUORUM_RELEASE, KEYS.ofQuorum(name), ADMITTED, owner, "2000");
    }

    private static Call any(Random random) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        String owner = "o" + random.nextInt(4);
        if (random.nextInt(5) < 2) {
            return release(name, owner);
        }
        String inbox = List.of("", "", "awake", "asleep").get(random.nextInt(4));
        return claim(name, owner, random.nextInt(8) == 0 ? "20000" : "30000", inbox, 1 + random.nextInt(3));
    }

    /** Among other things, what somebody else may have put there, and who waited for a lease that has run out. */
    private void begin(Random random) throws IOException {
        connection.call("FLUSHALL");
        connection.call("SET", KEYS.admission(), ADMITTED + "60000");
        for (String name : NAMES) {
            if (random.nextInt(4) > 0) {
                connection.call("SET", KEYS.of(name)[2], random.nextInt(8) > 0 ? COUNTER : "foreign");
            }
            if (random.nextInt(8) == 0) {
                connection.call("RPUSH", KEYS.lock(name), "foreign");
            }
            if (random.nextInt(4) == 0) {
                connection.call("RPUSH", KEYS.queue(name), "o" + random.nextInt(4) + " awake 30000 x since=5 7 here ");
            }
        }
    }

    // ---- what comes of it

    /** Without what depends on the time. */
    private static Object timeless(List<?> reply) {
        List<Object> rest = new ArrayList<>(reply);
        if (rest.size() > 1) {
            rest.set(1, "now");
        }
        if (rest.get(0).equals(0L) && rest.size() == 8) {
            rest.set(2, "remaining");
        }
        return rest;
    }

    private List<Object> state() throws IOException {
        List<Object> all = new ArrayList<>();
        for (String name : NAMES) {
            String value = String.valueOf(connection.call("MGET", KEYS.lock(name)));
            all.add(value.replaceAll("\\d{16} (\\d+ x - 7 here)", "since $1"));
            all.add(connection.call("MGET", KEYS.of(name)[2]));
            all.add(connection.call("LRANGE", KEYS.queue(name), "0", "-1"));
        }
        return all;
    }

    private void run(Request request) {
        List<String> command = new ArrayList<>();
        Call call = request.call();
        command.addAll(List.of("EVAL", call.script.source(), "" + call.keys.length));
        command.addAll(List.of(call.keys));
        command.addAll(List.of(call.arguments));
        try {
            Object reply = connection.call(command.toArray(String[]::new));
            request.answer(reply instanceof List<?> list ? new ArrayList<>(list) : List.of(reply));
        } catch (IOException e) {
            request.completeExceptionally(e);
        }
    }

    private interface Way {
        void send(List<Request> requests);
    }

    /** What each was told, and what is there after each group of them. */
    private List<Object> outcome(long seed, Way way) throws IOException {
        Random random = new Random(seed);
        begin(random);
        List<Object> all = new ArrayList<>();
        for (int group = 0; group < 8; group++) {
            boolean claims = random.nextBoolean();
            int size = 1 + random.nextInt(8);
            List<Call> calls = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> any(random))
                    .filter(call -> claims == (call.script == Script.QUORUM_ACQUIRE))
                    .limit(size)
                    .toList();
            Object[] told = new Object[size];
            List<Request> requests = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int place = i;
                requests.add(new Request(
                        CommandType.EVAL,
                        calls.get(i),
                        (reply, failure) -> told[place] = failure == null
                                ? timeless(Wire.numbers(reply))
                                : failure.getMessage().replaceAll("^ERR | script: .*", "")));
            }
            way.send(requests);
            all.addAll(List.of(told));
            all.addAll(state());
        }
        return all;
    }

    @Test
    void whatIsToldAndDoneIsTheSame() throws IOException {
        for (long seed = 0; seed < 300; seed++) {
            List<Object> alone = outcome(seed, requests -> requests.forEach(this::run));
            List<Object> batched = outcome(seed, requests -> BatchedRequest.send(requests, this::run));
            assertThat(batched).as("seed %s", seed).isEqualTo(alone);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5:other:data 60000", "5:run:data 10000"})
    void aNodeThatMayNotGrantItRefusesThemAll(String record) throws IOException {
        // It has another memory than we know it by; or it does not know of leases that long.
        connection.call("FLUSHALL");
        connection.call("SET", KEYS.admission(), "admitted " + record);
        List<Object> told = new ArrayList<>();
        List<Request> requests = new ArrayList<>();
        for (String name : NAMES) {
            requests.add(new Request(
                    CommandType.EVAL, claim(name, "o", "30000", "", 1), (reply, failure) -> told.add(timeless(reply))));
        }
        BatchedRequest.send(requests, this::run);
        assertThat(told).hasSize(NAMES.size()).containsOnly(told.get(0));
        assertThat(String.valueOf(told.get(0))).startsWith(record.endsWith("10000") ? "[-2" : "[-3");
        assertThat((List<?>) connection.call("KEYS", "*")).hasSize(1);
    }

    @Test
    void thoseWhoAskAtOnceShareRequestsWithNoMoreThanTheDocumentedPrivileges() {
        // 200 requests of each server; counted by it, after the first have told it the scripts.
        String acl = new Errors("x", Keys.standard().prefix(), Topology.Kind.QUORUM).aclLine("least") + " on >secret";
        try (Five five = Five.servers()) {
            five.start();
            five.servers.forEach(server -> server.call(acl.split(" ", -1)));
            String url = five.url().replace("://", "://least:secret@");
            AtOnce atOnce = new AtOnce();
            ClientResources resources =
                    ClientResources.builder().nettyCustomizer(atOnce).build();
            try (RedisClient client = RedisClient.create(resources);
                    Holdfast holdfast = Holdfast.over(RedlockBackend.over(client, url)
                            .nodeTimeout(Patient.NODE_TIMEOUT)
                            .connect())) {
                acquireAndReleaseAll(holdfast, atOnce);
                five.servers.forEach(RedisServer::resetCounts);
                acquireAndReleaseAll(holdfast, atOnce);
                assertThat(five.servers)
                        .allSatisfy(
                                server -> assertThat(server.calls("evalsha")).isLessThan(150));
            } finally {
                resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            }
        }
    }

    private static void acquireAndReleaseAll(Holdfast holdfast, AtOnce atOnce) {
        List<CompletableFuture<Lease>> leases = atOnce.ask(() -> IntStream.range(0, 100)
                .mapToObj(i -> holdfast.lock("together-" + i).acquireAsync())
                .toList());
        leases.forEach(lease -> assertThat(lease.join().isValid()).isTrue());
        atOnce.ask(() -> CompletableFuture.allOf(leases.stream()
                        .map(lease -> lease.join().releaseAsync())
                        .toArray(CompletableFuture<?>[]::new)))
                .join();
    }

    /** Keeps the I/O threads until all is asked: a thread that is slow to ask would else ask for one after the other. */
    private static final class AtOnce implements NettyCustomizer {
        private final Set<EventExecutor> threads = ConcurrentHashMap.newKeySet();

        @Override
        public void afterChannelInitialized(Channel channel) {
            threads.add(channel.eventLoop());
        }

        <T> T ask(Supplier<T> asking) {
            CompletableFuture<Void> asked = new CompletableFuture<>();
            threads.forEach(thread -> thread.execute(asked::join));
            try {
                return asking.get();
            } finally {
                asked.complete(null);
            }
        }
    }
}

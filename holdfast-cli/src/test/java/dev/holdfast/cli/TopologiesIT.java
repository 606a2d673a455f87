package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Locks behind sentinels and in a cluster, from the shell, with masters that die. */
@ExtendWith(Launched.Cleanup.class)
class TopologiesIT {
    private static final FencingToken LARGE = new FencingToken(1_763_193_600_123_456L);
    private static final FencingToken SMALL = new FencingToken(7);

    @TempDir
    Path directory;

    private Launched holdfast(String command, String url, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(command, "--at", url));
        all.addAll(List.of(arguments));
        return Launched.holdfast(directory, all.toArray(String[]::new));
    }

    private String answer(int exitCode, String command, String url, String... arguments) throws Exception {
        Launched launched = holdfast(command, url, arguments);
        assertThat(launched.exitCode())
                .as(command + ": " + launched.out() + launched.err())
                .isEqualTo(exitCode);
        return launched.out() + launched.err();
    }

    /** Holds a lock until the file 'end' is there, or until it is ended. */
    private Launched holder(String url, String name) throws Exception {
        String script =
                "echo token $HOLDFAST_TOKEN; while [ ! -e " + directory.resolve("end") + " ]; do sleep 0.1; done";
        // A failover may take long on a busy machine, and the lease has to outlive it.
        return holdfast("run", url, "--lease", "60s", name, "--", "sh", "-c", script)
                .untilOut("token");
    }

    private static String token(Launched holder) throws Exception {
        return holder.out().strip().replaceFirst("token ", "");
    }

    /** The lease of this holder is extended at the new master. Looked at from here: a command a look would keep the machine busy. */
    private static void awaitRenewal(String url, String name) {
        try (Holdfast look = connected(url)) {
            Duration[] last = {Duration.ofDays(1)};
            await().atMost(Launched.PATIENCE)
                    .ignoreException(LockUnavailableException.class)
                    .until(() -> {
                        Duration now = look.inspect(name).orElseThrow().remaining();
                        boolean extended = now.compareTo(last[0]) > 0;
                        last[0] = now;
                        return extended;
                    });
        }
    }

    /** Right after a failover somebody may still be sent to the master that is gone. */
    private static Holdfast connected(String url) {
        return await().atMost(Launched.PATIENCE)
                .ignoreExceptions()
                .until(() -> Holdfast.over(RedisBackend.connect(url)), Objects::nonNull);
    }

    /** What every command says while somebody holds 'night/a'. Leaves the lock broken. */
    private void assertCommandsWork(String url) throws Exception {
        assertThat(answer(0, "init", url)).contains("Nothing to do");
        Launched holder = holder(url, "night/a");
        String token = token(holder);
        assertThat(answer(0, "ls", url)).contains("night/a", token);
        assertThat(answer(0, "inspect", url, "night/a")).contains(token);
        answer(75, "run", url, "--no-wait", "night/a", "--", "true");
        assertThat(answer(0, "break", url, "--yes", "night/a")).contains("Broke lock 'night/a'");
        assertThat(answer(0, "run", url, "--wait", "1m", "night/a", "--", "echo", "my turn"))
                .contains("my turn");
        assertThat(answer(0, "ls", url)).doesNotContain("night/a");
        assertThat(holder.exitCode()).as(holder.err()).isEqualTo(76);
    }

    /** A guard of a key there, shown and moved. */
    private void assertGuardsWork(String url, RedisFence fence) throws Exception {
        fence.set("account:7", "100", LARGE);
        Launched moved = Launched.holdfast(directory, "fence", "move", "--yes", "--at", url, "--to", "1", "account:7");
        assertThat(moved.exitCode()).as(moved.err()).isZero();
        assertThatThrownBy(() -> fence.set("account:7", "200", LARGE)).isInstanceOf(WrongGenerationException.class);
        fence.withGeneration(1).set("account:7", "300", SMALL);
        Launched shown = Launched.holdfast(directory, "fence", "show", "--at", url, "account:7");
        assertThat(shown.exitCode()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("newest token  7", "from generation 0 (newest token " + LARGE + ") to 1 by ");
    }

    @Test
    void guardsAreFoundBehindSentinels() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.trio().start()) {
            RedisClient client = RedisClient.create();
            assertGuardsWork(sentinels.url(), RedisFence.over(client, sentinels.url()));
            client.shutdown();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // Waits for a failover and for a renewal.
    void behindSentinelsTheCommandGoesOnWhenItsMasterIsKilled() throws Exception {
        // With the grant at the replica: the new master knows the holder, and extends its lease.
        try (RedisSentinels sentinels = RedisSentinels.trio().start()) {
            String url = sentinels.url() + "?waitForReplicas=1&waitMillis=1000";
            assertCommandsWork(url);
            assertThat(answer(1, "doctor", url))
                    .contains("Sentinel", "sentinel master " + RedisSentinels.MASTER, "[redis.topology]")
                    .contains(
                            "" + sentinels.master().port(), sentinels.replica().name());
            Launched holder = holder(url, "a");
            RedisServer former = sentinels.master();
            former.kill();
            sentinels.awaitFailover(former);
            awaitRenewal(sentinels.url(), "a");
            assertThat(answer(0, "ls", sentinels.url())).contains(token(holder));
            Files.createFile(directory.resolve("end"));
            assertThat(holder.exitCode()).as(holder.err()).isZero();
            assertThat(answer(0, "ls", sentinels.url())).doesNotContain(token(holder));
        }
    }

    @Test
    void behindSentinelsTheCommandIsEndedWhenTheNewMasterDoesNotKnowIt() throws Exception {
        // The replica stands still while the lock is taken. Stopped alone, it would read what waits in its socket
        // later.
        try (RedisSentinels sentinels = RedisSentinels.trio().start()) {
            RedisServer former = sentinels.master();
            RedisServer replica = sentinels.replica();
            replica.pause();
            former.call("CLIENT", "KILL", "TYPE", "replica");
            Launched holder = holder(sentinels.url(), "a");
            former.kill();
            replica.resume();
            sentinels.awaitFailover(former);
            assertThat(holder.exitCode()).as(holder.err()).isEqualTo(76);
            assertThat(holder.err()).contains("Lock 'a' is lost");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // Waits for a failover and for a renewal.
    void inAClusterTheCommandGoesOnWhenItsMasterIsKilled() throws Exception {
        try (RedisCluster cluster = RedisCluster.withReplicas().start()) {
            String url = cluster.url() + "?waitForReplicas=1&waitMillis=1000";
            assertCommandsWork(url);
            String examined = answer(1, "doctor", url);
            assertThat(examined)
                    .contains("Cluster: 3 masters", "3 replicas", "[redis.topology]")
                    .containsOnlyOnce("WARNING    All 3 servers: There is no append-only file");
            cluster.servers().forEach(each -> assertThat(examined).contains(each.name()));
            Launched holder = holder(url, "a");
            RedisServer former = cluster.masters().stream()
                    .filter(each -> !lockKey(each).isEmpty())
                    .findFirst()
                    .orElseThrow();
            int slot = Integer.parseInt(former.text("CLUSTER", "KEYSLOT", lockKey(former)));
            former.kill();
            cluster.awaitFailover(slot, former);
            awaitRenewal(url, "a");
            assertThat(answer(0, "ls", url)).contains(token(holder));
            assertThat(answer(1, "doctor", cluster.url())).contains("3 masters", "[redis.topology]");
            Files.createFile(directory.resolve("end"));
            assertThat(holder.exitCode()).as(holder.err()).isZero();
            assertThat(answer(0, "ls", url)).doesNotContain(token(holder));
        }
    }

    /** That of lock 'a'; empty where it is not kept. */
    private static String lockKey(RedisServer server) {
        return ((List<?>) server.call("KEYS", "*lock*a*"))
                .stream().map(String::valueOf).findFirst().orElse("");
    }

    @Test
    void inAClusterWithoutReplicasGuardsAreFoundAndAGrantThatWaitsForReplicasStartsNothing() throws Exception {
        try (RedisCluster cluster = RedisCluster.withoutReplicas().start()) {
            RedisClusterClient client =
                    RedisClusterClient.create(cluster.servers().get(0).url());
            assertGuardsWork(cluster.url(), RedisFence.over(client.connect().sync()));
            client.shutdown();
            String url = cluster.url() + "?waitForReplicas=1&waitMillis=100";
            assertThat(answer(69, "run", url, "--no-wait", "a", "--", "echo", "ran"))
                    .contains("replica")
                    .doesNotContain("ran\n");
            assertThat(answer(0, "ls", cluster.url())).doesNotContain("a ");
            assertThat(answer(1, "doctor", cluster.url())).contains("no replicas", "[redis.no-replicas]");
            // No probe succeeds. What is found says why, and used not to be shown.
            assertThat(answer(69, "doctor", url))
                    .contains("NO lock could be taken", "[redis.no-replicas]", "only 0 of 1 replicas");
            cluster.servers().forEach(RedisServer::kill);
            Launched gone = Launched.holdfast(directory, "fence", "show", "--at", cluster.url(), "account:7");
            assertThat(gone.exitCode()).isEqualTo(69);
            assertThat(gone.err()).contains("cannot be used", "refused").doesNotContain("\\n");
            assertThat(answer(64, "run", cluster.url() + "?waitForReplicas=some", "a", "--", "true"))
                    .contains("waitForReplicas in the URL must be a number");
        }
    }
}

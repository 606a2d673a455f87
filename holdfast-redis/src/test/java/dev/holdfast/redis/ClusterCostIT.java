package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What locks cost in a cluster, counted by its servers, beside the same on one server. */
@Timeout(400)
class ClusterCostIT {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final int NAMES = 100;
    private static final int ROUNDS = 40;

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withoutReplicas();

    @RegisterExtension
    static final RedisServer single = RedisServer.embedded();

    private final List<Holdfast> opened = new ArrayList<>();

    @BeforeEach
    void empty() {
        cluster.servers().forEach(each -> each.call("FLUSHALL"));
        single.call("FLUSHALL");
    }

    @AfterEach
    void close() {
        opened.forEach(Holdfast::close);
    }

    private Holdfast client(String url, int cohort) throws Exception {
        Holdfast holdfast = Holdfast.builder(
                        Patient.builder(url).claimWindow(Duration.ofSeconds(10)).connect())
                .lease(Duration.ofSeconds(30))
                .cohort(cohort)
                .build();
        opened.add(holdfast);
        // Every server knows the scripts, and we its time.
        for (int i = 0; i < NAMES; i++) {
            holdfast.lock("warm-" + i).acquire(PATIENCE).close();
            holdfast.lock("warm-" + i).acquire(PATIENCE).close();
        }
        return holdfast;
    }

    private static long connections(RedisServer server) {
        return server.text("CLIENT", "LIST")
                .lines()
                .filter(line -> !line.contains("cmd=client|list"))
                .filter(line -> !line.contains("flags=M") && !line.contains("flags=S"))
                .count();
    }

    private static long connections() {
        return cluster.servers().stream().mapToLong(ClusterCostIT::connections).sum();
    }

    private static void awaitConnections(long count) {
        RedisCluster.await(count + " connections", () -> connections() == count);
    }

    @Test
    void contendedNamesCostAsManyCommandsAsOnOneServer() throws Exception {
        double alone = commandsPerAcquisition(single.url(), List.of(single));
        double spread = commandsPerAcquisition(cluster.url(), cluster.servers());
        System.out.println("measured: commands per acquisition of " + NAMES + " contended names: " + alone
                + " on one server, " + spread + " in a cluster");
        assertThat(spread).isBetween(alone * 0.9, alone * 1.1);
    }

    /** Four clients ask for each of the names at once, again and again; each acquisition is a hand-over at the server. */
    private double commandsPerAcquisition(String url, List<RedisServer> servers) throws Exception {
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(client(url, 1));
        }
        servers.forEach(RedisServer::resetCounts);
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (Holdfast client : clients) {
            for (int name = 0; name < NAMES; name++) {
                all.add(again(client, "contended-" + name, ROUNDS));
            }
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        long commands = servers.stream().mapToLong(RedisServer::allCalls).sum();
        return (double) commands / (clients.size() * NAMES * ROUNDS);
    }

    private static CompletableFuture<?> again(Holdfast client, String name, int times) {
        if (times == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return client.lock(name).acquireAsync(PATIENCE).thenCompose(lease -> {
            lease.close();
            return again(client, name, times - 1);
        });
    }

    @Test
    void aClientHasOneConnectionForEachMasterAndOneForItsInbox() throws Exception {
        // However many names it holds and waits for.
        // Those of the test before this one may not be gone yet.
        RedisCluster.await("nobody is connected", () -> connections() == 0);
        Holdfast holder = client(cluster.url(), 16);
        Holdfast waiting = client(cluster.url(), 16);
        awaitConnections(2 * (3 + 1));
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int name = 0; name < NAMES; name++) {
            leases.add(holder.lock("held-" + name).acquire(PATIENCE));
            waiters.add(waiting.lock("held-" + name).acquireAsync(PATIENCE));
        }
        awaitConnections(2 * (3 + 1));
        leases.forEach(Lease::close);
        for (CompletableFuture<Lease> waiter : waiters) {
            waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        }
        awaitConnections(2 * (3 + 1));
    }

    @Test
    void manyLeasesAreRenewedByOneRequestForEachSlot() throws Exception {
        // 3000 names in 20 slots. What comes due together is one request for each slot, not for each lease.
        Holdfast holdfast = Holdfast.builder(Patient.backend(cluster.url()))
                .lease(Duration.ofSeconds(12))
                .build();
        opened.add(holdfast);
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "renewed-" + i)
                .filter(name -> Keys.bucket(name) < 20)
                .limit(3000)
                .forEach(name -> leases.add(holdfast.lock(name).acquireAsync(PATIENCE)));
        CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        cluster.servers().forEach(RedisServer::resetCounts);
        RedisCluster.await(
                "as many renewals as leases",
                () -> cluster.servers().stream()
                                .mapToLong(each -> each.calls("pexpire"))
                                .sum()
                        >= 3000);
        long requests = cluster.servers().stream()
                .mapToLong(each -> each.calls("evalsha") + each.calls("eval"))
                .sum();
        System.out.println("measured: renewals of 3000 leases in 20 slots of a cluster: " + requests + " requests");
        assertThat(requests).isBetween(20L, 1000L);
        for (CompletableFuture<Lease> lease : leases) {
            assertThat(lease.join().isValid()).isTrue();
            lease.join().close();
        }
    }
}

package dev.holdfast.proving.subject;

import static dev.holdfast.proving.check.Rule.OVERLAP;

import dev.holdfast.etcd.EtcdBackend;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Holdfast on each store, and what docs/ say about it. */
final class HoldfastSubjects {
    private HoldfastSubjects() {}

    static List<Subject> all() {
        return List.of(redis(), sentinel(), cluster(), quorum(), postgres(), zookeeper(), etcd());
    }

    private static Subject redis() {
        return new HoldfastSubject(
                "holdfast-redis",
                Store.REDIS,
                "RedisBackend.connect(url), all defaults",
                Duration.ZERO,
                Promise.of(
                                "Exclusion as long as the server keeps its memory and its clock; after that the holder is told, and tokens go on"
                                        + " growing (docs/redis.md, docs/fencing.md)")
                        .notAfter(
                                Outages.FORGETS,
                                "docs/redis.md: not promised over a server that forgets; the holder is told when it comes back to the server",
                                OVERLAP)
                        .notAfter(
                                Outages.SERVER_CLOCKS,
                                "docs/redis.md: a clock of the server that steps forward ends leases early",
                                OVERLAP),
                target -> RedisBackend.connect(target.url("redis")));
    }

    private static Subject sentinel() {
        return new HoldfastSubject(
                "holdfast-sentinel",
                Store.SENTINEL,
                "RedisBackend.connect(url of the sentinels), all defaults",
                Duration.ZERO,
                untilAFailover(),
                target -> RedisBackend.connect(
                        "redis+sentinel://" + String.join(",", target.addresses()) + "/" + RedisTopology.MASTER));
    }

    private static Subject cluster() {
        return new HoldfastSubject(
                "holdfast-cluster",
                Store.CLUSTER,
                "RedisBackend.connect(url of the cluster), all defaults",
                Duration.ZERO,
                untilAFailover(),
                target -> RedisBackend.connect("redis+cluster://" + String.join(",", target.addresses())));
    }

    private static Promise untilAFailover() {
        return Promise.of(
                        "Exclusion until a failover, which can forget the lock; then the holder is told, and tokens go on growing"
                                + " (docs/topologies.md)")
                .notAfter(
                        Outages.FAILOVERS,
                        "docs/topologies.md: the new master may not know the lock; the holder is told when its client finds the new master",
                        OVERLAP);
    }

    private static Subject quorum() {
        return new HoldfastSubject(
                "holdfast-quorum",
                Store.QUORUM,
                "RedlockBackend over all servers, maxLease set to the lease, else all defaults",
                Duration.ZERO,
                Promise.of(
                        "Exclusion over any minority of servers dead, restarted or emptied, with clocks that keep their bound of 1 %"
                                + " (docs/redlock.md)"),
                target -> RedlockBackend.builder(quorumUrl(target))
                        .maxLease(target.lease())
                        .connect());
    }

    /** Servers have names that all clients use, because each client reaches them at ports of its own. */
    static String quorumUrl(Target target) {
        return IntStream.range(0, target.ports().size())
                .mapToObj(i -> "server-" + i + "=127.0.0.1:" + target.ports().get(i))
                .collect(Collectors.joining(",", "redlock://", ""));
    }

    /** Once for new servers: five that know each other. */
    static void initialiseQuorum(Target target) {
        RedlockBackend.builder(quorumUrl(target)).maxLease(target.lease()).initialise();
    }

    private static Subject postgres() {
        return new HoldfastSubject(
                "holdfast-postgres",
                Store.POSTGRES,
                "JdbcBackend over a pool (HikariCP, 4 connections, socketTimeout 5 s), all defaults",
                Duration.ZERO,
                Promise.of("Exclusion over crashes of clients and restarts of the database (docs/jdbc.md)"),
                target -> JdbcBackend.over(Postgres.pool(target)).connect());
    }

    private static Subject zookeeper() {
        return new HoldfastSubject(
                "holdfast-zookeeper",
                Store.ZOOKEEPER,
                "ZooKeeperBackend with the session timeout of the lease and the tick of the server, else all defaults",
                // Sessions end at the end of a tick.
                Duration.ofMillis(500),
                Promise.of("Exclusion over crashes and pauses of clients and a broken network (docs/zookeeper.md)"),
                target -> ZooKeeperBackend.builder(target.address())
                        .sessionTimeout(target.lease())
                        .tickTime(Duration.ofMillis(ZooKeeperTick.MILLIS))
                        .syncLimit(2)
                        .connect());
    }

    private static Subject etcd() {
        return new HoldfastSubject(
                "holdfast-etcd",
                Store.ETCD,
                "EtcdBackend.connect(url), all defaults",
                // docs/etcd.md: lease + 5 s at most.
                Duration.ofSeconds(5),
                Promise.of("Exclusion over crashes and pauses of clients and a broken network (docs/etcd.md)"),
                target -> EtcdBackend.connect("etcd://" + target.address()));
    }
}

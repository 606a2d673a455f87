package dev.holdfast.redis.node;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** What about a server endangers its locks. Works with whatever the user may ask; what is forbidden becomes a note. */
public final class Diagnosis {
    /** Codes of findings that a quorum judges differently. */
    public static final String REPLICAS = "redis.replicas";

    public static final String NOT_PERSISTENT = "redis.persistence";

    /** More than a clock that is kept by NTP is ever off, and less than anybody would overlook. */
    private static final long LARGE_OFFSET_MICROS = 1_000_000;

    private Diagnosis() {}

    /**
     * All there is to say about one server.
     *
     * @param over whether nobody waits for the answer any more: then no more is asked
     */
    public static CompletionStage<List<Finding>> of(
            RedisNode node, Keys keys, Environment environment, BooleanSupplier over) {
        return ofServer(node)
                .thenCombine(clock(node, environment), Diagnosis::both)
                .thenCombine(OtherVersions.search(node, keys, over), Diagnosis::both);
    }

    /** All there is to say about all of them. */
    public static CompletionStage<List<Finding>> of(
            Topology servers, Keys keys, Environment environment, BooleanSupplier over) {
        CompletionStage<List<Finding>> all = servers.findings();
        for (RedisNode node : servers.servers()) {
            CompletionStage<List<Finding>> next = of(node, keys, environment, over);
            boolean one = servers.kind() != Topology.Kind.CLUSTER;
            // Of many servers one may be down: what can be said of the others is said.
            all = all.thenCombine(one ? next : orUnreachable(node, next), Diagnosis::both);
        }
        return all;
    }

    private static CompletionStage<List<Finding>> orUnreachable(
            RedisNode node, CompletionStage<List<Finding>> findings) {
        return findings.exceptionally(failure -> List.of(new Finding(
                "redis.unreachable",
                Severity.DANGER,
                "The server at " + node.address() + " cannot be asked: " + Failures.describe(Failures.unwrap(failure)),
                "Locks whose names it keeps are unavailable until it is back or a replica has taken over.")));
    }

    private static List<Finding> both(List<Finding> some, List<Finding> others) {
        List<Finding> all = new ArrayList<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    /** How far it is from this machine's. Locks do not mind: each server measures leases by its own clock. */
    private static CompletionStage<List<Finding>> clock(RedisNode node, Environment environment) {
        long asked = environment.wallMicros();
        return node.ask("TIME").handle((time, failure) -> {
            if (failure != null) {
                return List.<Finding>of();
            }
            long heard = environment.wallMicros();
            long theirs = Replies.timeMicros(time);
            return List.of(offset(theirs - asked - (heard - asked) / 2));
        });
    }

    static Finding offset(long micros) {
        String text = String.format(
                Locale.ROOT,
                "The clock of the server is %.3f s %s this machine's.",
                Math.abs(micros) / 1e6,
                micros < 0 ? "behind" : "ahead of");
        return Math.abs(micros) < LARGE_OFFSET_MICROS
                ? Finding.note("redis.clock", text)
                : new Finding(
                        "redis.clock",
                        Severity.WARNING,
                        text,
                        "Find out which of the two is wrong, and let NTP slew it: a server's clock that is set while locks are"
                                + " held ends them early or late.");
    }

    private static CompletionStage<List<Finding>> ofServer(RedisNode node) {
        CompletionStage<ServerInfo> info = text(node.ask("INFO")).thenApply(ServerInfo::parse);
        CompletionStage<String> fsync = node.ask("CONFIG", "GET", "appendfsync")
                .handle((pair, failure) -> pair == null || pair.size() < 2 ? "" : String.valueOf(pair.get(1)));
        return info.thenCombine(fsync, (known, policy) -> findings(node.address(), known, policy, node.mark()))
                .handle((findings, failure) ->
                        failure == null ? CompletableFuture.completedFuture(findings) : withoutInfo(failure))
                .thenCompose(stage -> stage);
    }

    /** A server that does not answer is not diagnosed; one that only forbids INFO is. */
    private static CompletableFuture<List<Finding>> withoutInfo(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (!(cause instanceof RefusedException)) {
            return CompletableFuture.failedFuture(cause);
        }
        return CompletableFuture.completedFuture(List.of(new Finding(
                "redis.info-refused",
                Severity.NOTE,
                "The user may not run INFO: the server cannot be examined, and a pushed grant is confirmed before it is used.",
                "Permit +info: every hand-over saves a round trip.")));
    }

    private static CompletionStage<String> text(CompletionStage<List<Object>> answer) {
        return answer.thenApply(list -> list.isEmpty() ? "" : String.valueOf(list.get(0)));
    }

    private static List<Finding> findings(String address, ServerInfo info, String fsync, long mark) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(
                "redis.server",
                Severity.NOTE,
                info.product() + " at " + address + ", " + info.mode() + ", role " + info.get("role") + ".",
                ""));
        addRole(findings, info);
        addEviction(findings, info);
        addPersistence(findings, info, fsync);
        if (mark == 0) {
            findings.add(new Finding(
                    "redis.connection-number",
                    Severity.NOTE,
                    "The server gives connections no number (HELLO): processes that were restored from one snapshot of memory"
                            + " cannot be told apart here.",
                    "Do not restore a snapshot twice, or close Holdfast before it is taken."));
        }
        return List.copyOf(findings);
    }

    private static void addRole(List<Finding> findings, ServerInfo info) {
        if (!info.get("role").equals("master")) {
            findings.add(new Finding(
                    "redis.replica",
                    Severity.DANGER,
                    "This server is a replica: locks cannot be taken here.",
                    "Connect to its primary, " + info.get("master_host") + ":" + info.get("master_port") + "."));
        } else if (!info.get("connected_slaves").equals("0")) {
            findings.add(new Finding(
                    REPLICAS,
                    Severity.WARNING,
                    "This server has replicas. Replication is asynchronous: after a failover the new primary may not know a"
                            + " lock that is held.",
                    "Guard the resource by fencing token. Waiting for replicas (waitForReplicas) narrows the gap, and does not"
                            + " close it."));
        }
    }

    private static void addEviction(List<Finding> findings, ServerInfo info) {
        MemoryPolicy memory = MemoryPolicy.of(info);
        if (memory.mayEvict()) {
            findings.add(new Finding("redis.eviction", Severity.DANGER, memory.danger(), MemoryPolicy.REMEDY));
        } else if (memory.evictedKeys() > 0) {
            findings.add(new Finding(
                    "redis.evicted",
                    Severity.WARNING,
                    "This server has removed " + memory.evictedKeys()
                            + " keys to make room, though it does not do so now:"
                            + " locks that were held then may have been among them.",
                    "Keep maxmemory-policy noeviction, or give locks a server of their own."));
        }
    }

    private static void addPersistence(List<Finding> findings, ServerInfo info, String fsync) {
        String remedy = "Where a lock must survive a restart of the server, set appendonly yes and appendfsync always.";
        if (!info.get("aof_enabled").equals("1")) {
            findings.add(new Finding(
                    NOT_PERSISTENT,
                    Severity.WARNING,
                    "There is no append-only file: a restart forgets who holds what, and a lock can be granted again while"
                            + " its holder still works. Tokens go on growing.",
                    remedy));
        } else if (!fsync.isEmpty() && !fsync.equals("always")) {
            findings.add(new Finding(
                    NOT_PERSISTENT,
                    Severity.WARNING,
                    "The append-only file is written with appendfsync " + fsync
                            + ": a crash of the machine may forget the locks of the last second.",
                    remedy));
        }
    }
}

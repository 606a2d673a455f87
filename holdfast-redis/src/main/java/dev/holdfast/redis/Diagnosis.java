package dev.holdfast.redis;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** What about a server endangers its locks. Works with whatever the user may ask; what is forbidden becomes a note. */
final class Diagnosis {
    /** More than a clock that is kept by NTP is ever off, and less than anybody would overlook. */
    private static final long LARGE_OFFSET_MICROS = 1_000_000;

    private Diagnosis() {}

    static CompletionStage<List<Finding>> of(RedisNode node, Environment environment) {
        return ofServer(node).thenCombine(clock(node, environment), (findings, clock) -> {
            List<Finding> all = new ArrayList<>(findings);
            all.addAll(clock);
            return List.copyOf(all);
        });
    }

    /** How far it is from this machine's. Locks do not mind: each server measures leases by its own clock. */
    private static CompletionStage<List<Finding>> clock(RedisNode node, Environment environment) {
        long asked = environment.wallMicros();
        return node.ask("TIME").handle((time, failure) -> {
            if (failure != null) {
                return List.<Finding>of();
            }
            long heard = environment.wallMicros();
            long theirs = Long.parseLong(Claims.text(time, 0)) * 1_000_000 + Long.parseLong(Claims.text(time, 1));
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
                ? new Finding(Severity.NOTE, text, "")
                : new Finding(
                        Severity.WARNING,
                        text,
                        "Find out which of the two is wrong, and let NTP slew it: a server's clock that is set while locks are"
                                + " held ends them early or late.");
    }

    private static CompletionStage<List<Finding>> ofServer(RedisNode node) {
        CompletionStage<ServerInfo> info = text(node.ask("INFO")).thenApply(ServerInfo::parse);
        CompletionStage<String> fsync = node.ask("CONFIG", "GET", "appendfsync")
                .handle((pair, failure) -> pair == null || pair.size() < 2 ? "" : String.valueOf(pair.get(1)));
        return info.thenCombine(fsync, (known, policy) -> findings(node.address(), known::get, policy))
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
                Severity.NOTE,
                "The user may not run INFO: the server cannot be examined, and a pushed grant is confirmed before it is used.",
                "Permit +info: every hand-over saves a round trip.")));
    }

    private static CompletionStage<String> text(CompletionStage<List<Object>> answer) {
        return answer.thenApply(list -> list.isEmpty() ? "" : String.valueOf(list.get(0)));
    }

    private static List<Finding> findings(String address, UnaryOperator<String> info, String fsync) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(
                Severity.NOTE,
                "Redis " + info.apply("redis_version") + " at " + address + ", " + info.apply("redis_mode") + ", role "
                        + info.apply("role") + ".",
                ""));
        addRole(findings, info);
        addEviction(findings, info);
        addPersistence(findings, info, fsync);
        return List.copyOf(findings);
    }

    private static void addRole(List<Finding> findings, UnaryOperator<String> info) {
        if (!info.apply("role").equals("master")) {
            findings.add(new Finding(
                    Severity.DANGER,
                    "This server is a replica: locks cannot be taken here.",
                    "Connect to its primary, " + info.apply("master_host") + ":" + info.apply("master_port") + "."));
        } else if (!info.apply("connected_slaves").equals("0")) {
            findings.add(new Finding(
                    Severity.WARNING,
                    "This server has replicas. Replication is asynchronous: after a failover the new primary may not know a"
                            + " lock that is held.",
                    "Guard the resource by fencing token."));
        }
    }

    private static void addEviction(List<Finding> findings, UnaryOperator<String> info) {
        String policy = info.apply("maxmemory_policy");
        if (info.apply("maxmemory").equals("0") || policy.equals("noeviction")) {
            return;
        }
        findings.add(new Finding(
                Severity.DANGER,
                "Under memory pressure this server removes keys (maxmemory-policy " + policy
                        + "): held locks among them, because they expire.",
                "Set maxmemory-policy noeviction, or give locks a server of their own."));
    }

    private static void addPersistence(List<Finding> findings, UnaryOperator<String> info, String fsync) {
        String remedy = "Where a lock must survive a restart of the server, set appendonly yes and appendfsync always.";
        if (!info.apply("aof_enabled").equals("1")) {
            findings.add(new Finding(
                    Severity.WARNING,
                    "There is no append-only file: a restart forgets who holds what, and a lock can be granted again while"
                            + " its holder still works. Tokens go on growing.",
                    remedy));
        } else if (!fsync.isEmpty() && !fsync.equals("always")) {
            findings.add(new Finding(
                    Severity.WARNING,
                    "The append-only file is written with appendfsync " + fsync
                            + ": a crash of the machine may forget the locks of the last second.",
                    remedy));
        }
    }
}

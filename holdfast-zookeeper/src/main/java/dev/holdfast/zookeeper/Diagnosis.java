package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/** Looks for settings and permissions that endanger the locks. */
final class Diagnosis {
    /** Whoever has one of these on our nodes can end exclusion. */
    private static final int CHANGING =
            ZooDefs.Perms.CREATE | ZooDefs.Perms.DELETE | ZooDefs.Perms.WRITE | ZooDefs.Perms.ADMIN;

    private Diagnosis() {}

    static CompletableFuture<List<Finding>> of(Settings settings, Session session) {
        List<Finding> findings = new ArrayList<>();
        addTiming(findings, settings.timing(), session.timeout);
        if (settings.framework() == null && settings.address().servers() == 1) {
            findings.add(new Finding(
                    "zookeeper.one-server",
                    Severity.NOTE,
                    "Only one server is known: while it is away nothing can be locked.",
                    "If it is one of several, name them all in the connect string."));
        }
        return permissions(settings, session).thenCombine(otherVersions(settings.paths(), session), (more, others) -> {
            findings.addAll(more);
            findings.addAll(others);
            return findings;
        });
    }

    private static void addTiming(List<Finding> findings, Timing timing, Duration session) {
        if (timing.leavesNothingOf(session)) {
            findings.add(new Finding(
                    "zookeeper.session-too-short",
                    Severity.DANGER,
                    "The servers grant a session of " + session.toMillis()
                            + " ms, which is too short: no lock is granted.",
                    timing.explainTooShort(session)));
        } else {
            findings.add(new Finding(
                    "zookeeper.timing",
                    Severity.NOTE,
                    "Validity is counted with tickTime " + timing.tick().toMillis() + " ms and syncLimit "
                            + timing.syncLimit() + ": of a session of " + session.toMillis() + " ms at least "
                            + timing.usableNanos(session) / 1_000_000 + " ms are usable.",
                    "If the servers are set to more, say so: a client cannot read it."));
        }
    }

    /** Nodes of other versions beside ours. */
    private static CompletableFuture<List<Finding>> otherVersions(Paths paths, Session session) {
        return shown(session, paths.namespace())
                .thenCompose(versions -> Futures.all(versions.stream()
                        .filter(each -> Paths.isVersion(each) && !each.equals(Paths.VERSION))
                        .sorted()
                        .map(each -> otherVersion(paths, session, each))
                        .toList()));
    }

    /** Each of its sessions is a process that has claimed something and is still there. */
    private static CompletableFuture<Finding> otherVersion(Paths paths, Session session, String version) {
        Paths others = new Paths(paths.namespace() + "/" + version);
        return shown(session, others.sessions()).thenApply(sessions -> {
            String what = "Below " + others.base() + " are nodes of version " + version + ", and this is version "
                    + Paths.VERSION + ". ";
            return sessions.isEmpty()
                    ? new Finding(
                            "zookeeper.other-version",
                            Severity.NOTE,
                            what + "No process that is connected has used them.",
                            "If no process of that version is left, remove them: deleteall " + others.base())
                    : new Finding(
                            "zookeeper.other-version",
                            Severity.WARNING,
                            what + "Sessions that have used them and are still there: " + sessions.size()
                                    + ". Processes of the two versions do not keep each other out.",
                            "Stop the processes of the other version before those of this one start.");
        });
    }

    /** Its children; none if it is missing, or hidden from us. */
    private static CompletableFuture<List<String>> shown(Session session, String path) {
        return Futures.recover(
                session.children(path),
                failure -> Nodes.isMissing(failure) || Errors.is(failure, Code.NOAUTH)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failure));
    }

    /** What is there counts, not what we would create: nodes keep the permissions they were created with. */
    private static CompletableFuture<List<Finding>> permissions(Settings settings, Session session) {
        String base = settings.paths().base();
        return Futures.recover(
                        session.children(base).thenApply(buckets -> {
                            List<String> paths = new ArrayList<>(List.of(base));
                            buckets.stream().filter(Paths::isBucket).forEach(bucket -> paths.add(base + "/" + bucket));
                            return paths;
                        }),
                        failure -> CompletableFuture.completedFuture(List.of(base)))
                .thenCompose(paths -> Futures.all(
                        paths.stream().map(path -> acl(session, path)).toList()))
                .thenApply(found -> judge(settings, session, base, found));
    }

    /** @param acl empty if the node is not there, or if it is hidden from us */
    private record Found(List<ACL> acl, boolean hidden) {}

    private static CompletableFuture<Found> acl(Session session, String path) {
        return Futures.recover(
                session.acl(path).thenApply(acl -> new Found(acl.orElse(List.of()), false)),
                failure -> Errors.is(failure, Code.NOAUTH)
                        ? CompletableFuture.completedFuture(new Found(List.of(), true))
                        : CompletableFuture.failedFuture(failure));
    }

    private static List<Finding> judge(Settings settings, Session session, String base, List<Found> found) {
        List<Finding> findings = new ArrayList<>();
        boolean closed = false;
        boolean open = session.isAnonymous() || isOpen(settings.acl());
        boolean other = false;
        for (Found each : found) {
            closed |= each.hidden();
            open |= isOpen(each.acl());
            other |= !each.acl().isEmpty() && differs(settings.acl(), each.acl());
        }
        if (closed) {
            findings.add(new Finding(
                    "zookeeper.acl-refused",
                    Severity.WARNING,
                    "The nodes below " + base + " belong to another user: this client is refused there.",
                    "Use that user's credentials, or another path or namespace."));
        }
        if (open) {
            findings.add(new Finding(
                    "zookeeper.acl-open",
                    Severity.WARNING,
                    "The nodes below " + base
                            + " are open to everybody: whoever reaches the servers can take a lock away from its holder.",
                    "Give credentials: digest(), SASL or a client certificate. Nodes that are there keep their permissions:"
                            + " set them with setAcl -R; docs/zookeeper.md shows it."));
        } else if (other) {
            findings.add(new Finding(
                    "zookeeper.acl-differs",
                    Severity.NOTE,
                    "Nodes below " + base + " have other permissions than acl() says: somebody else created them.",
                    "Let all clients set the same, and set what is there with setAcl -R."));
        }
        return findings;
    }

    private static boolean isOpen(@Nullable List<ACL> acl) {
        return acl != null
                && acl.stream()
                        .anyMatch(each ->
                                each.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE) && (each.getPerms() & CHANGING) != 0);
    }

    /** Creator-only is expanded by the server, so it cannot be compared. */
    private static boolean differs(@Nullable List<ACL> chosen, List<ACL> found) {
        return chosen != null
                && chosen.stream().noneMatch(each -> each.getId().getScheme().equals("auth"))
                && !Set.copyOf(chosen).equals(Set.copyOf(found));
    }
}

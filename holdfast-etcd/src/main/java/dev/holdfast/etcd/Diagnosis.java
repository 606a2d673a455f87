package dev.holdfast.etcd;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.etcd.rpc.AlarmRequest;
import dev.holdfast.etcd.rpc.AlarmResponse;
import dev.holdfast.etcd.rpc.ClusterGrpc;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.MaintenanceGrpc;
import dev.holdfast.etcd.rpc.MemberListRequest;
import dev.holdfast.etcd.rpc.MemberListResponse;
import dev.holdfast.etcd.rpc.StatusRequest;
import dev.holdfast.etcd.rpc.StatusResponse;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks for settings and states of the servers that endanger the locks. */
final class Diagnosis {
    private static final int NO_SPACE = 1;
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");

    private Diagnosis() {}

    static CompletableFuture<List<Finding>> of(Settings settings, Client client) {
        List<Finding> findings = new ArrayList<>();
        return allowed(
                        client.ask(MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance())
                                .thenApply(Optional::of),
                        Optional.<StatusResponse>empty())
                .thenAccept(status -> status.ifPresent(told -> addStatus(findings, told)))
                .thenCompose(done -> allowed(
                        client.ask(MaintenanceGrpc.getAlarmMethod(), AlarmRequest.getDefaultInstance()),
                        AlarmResponse.getDefaultInstance()))
                .thenAccept(alarms -> addAlarms(findings, alarms))
                .thenCompose(done -> allowed(
                        client.ask(ClusterGrpc.getMemberListMethod(), MemberListRequest.getDefaultInstance()),
                        MemberListResponse.getDefaultInstance()))
                .thenAccept(members -> addMembers(findings, settings, members))
                .thenCompose(done -> otherVersions(settings.keys(), client))
                .thenApply(others -> {
                    findings.addAll(others);
                    if (settings.channel() == null && settings.login() == null && !settings.isIdentified()) {
                        findings.add(new Finding(
                                "etcd.open",
                                Severity.WARNING,
                                "This client has neither a password nor a certificate, and the servers let it in: whoever"
                                        + " reaches them can take a lock away from its holder.",
                                "Enable authentication, with a role that has the keys of the namespace and no others, or"
                                        + " require client certificates; docs/etcd.md shows both."));
                    }
                    return findings;
                });
    }

    /** What a user without more rights than it needs may not ask is left out: newer servers tell their state to root alone. */
    private static <T> CompletableFuture<T> allowed(CompletableFuture<T> stage, T otherwise) {
        return Futures.recover(stage, failure -> {
            Throwable known = Errors.explain(failure);
            return known instanceof RefusedException && !(known instanceof NotSentException)
                    ? CompletableFuture.completedFuture(otherwise)
                    : CompletableFuture.failedFuture(failure);
        });
    }

    /** What is below the namespace and not ours: keys of every version hang on leases, so a process is behind each of them. */
    private static CompletableFuture<List<Finding>> otherVersions(Keys keys, Client client) {
        return Futures.all(keys.besideThisVersion().stream()
                        .map(range -> client.ask(KVGrpc.getRangeMethod(), range))
                        .toList())
                .thenApply(seen -> seen.stream()
                        .flatMap(each -> each.getKvsList().stream())
                        .flatMap(each -> keys.versionOf(each.getKey()).stream())
                        .distinct()
                        .map(version -> new Finding(
                                "etcd.other-version",
                                Severity.WARNING,
                                "There are keys of version " + version
                                        + " of Holdfast in this namespace, and this is version " + Keys.VERSION
                                        + ". Processes of the two versions do not keep each other out.",
                                "Stop the processes of the other version before those of this one start. Their keys go"
                                        + " with their leases."))
                        .toList());
    }

    private static void addStatus(List<Finding> findings, StatusResponse status) {
        if (status.getLeader() == 0) {
            findings.add(new Finding(
                    "etcd.no-leader",
                    Severity.DANGER,
                    "The member that answers knows no leader: nothing can be locked.",
                    "See to it that a majority of the members run and reach each other."));
        }
        if (revokesTooEarly(status.getVersion())) {
            findings.add(new Finding(
                    "etcd.early-revoke",
                    Severity.WARNING,
                    "The servers are of version " + status.getVersion()
                            + ". A leader of this version that stood still for longer than a lease ends leases that its"
                            + " successor keeps alive: then a lock is free before its holder knows.",
                    "Update to 3.4.31, 3.5.13 or later, and guard what is written with tokens."));
        }
    }

    /** Mended in 3.4.31 and 3.5.13; all later lines have it. */
    static boolean revokesTooEarly(String version) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches() || !matcher.group(1).equals("3")) {
            return false;
        }
        int minor = Integer.parseInt(matcher.group(2));
        int patch = Integer.parseInt(matcher.group(3));
        return minor < 4 || (minor == 4 && patch < 31) || (minor == 5 && patch < 13);
    }

    private static void addAlarms(List<Finding> findings, AlarmResponse response) {
        response.getAlarmsList().forEach(alarm -> {
            String member = "Member " + Long.toHexString(alarm.getMemberID());
            findings.add(
                    alarm.getAlarm() == NO_SPACE
                            ? new Finding(
                                    "etcd.no-space",
                                    Severity.DANGER,
                                    member + " has reached its quota: nothing new can be locked, what is held can be"
                                            + " released.",
                                    "etcdctl compact, etcdctl defrag, etcdctl alarm disarm; and set"
                                            + " --auto-compaction-retention.")
                            : new Finding(
                                    "etcd.corrupt",
                                    Severity.DANGER,
                                    member
                                            + " has found its data to be corrupt: it answers nothing that can be relied on.",
                                    "Take it out of the cluster and let it begin anew from the others."));
        });
    }

    private static void addMembers(List<Finding> findings, Settings settings, MemberListResponse response) {
        int voting = (int) response.getMembersList().stream()
                .filter(each -> !each.getIsLearner())
                .count();
        if (voting == 1) {
            findings.add(new Finding(
                    "etcd.one-member",
                    Severity.NOTE,
                    "The cluster has one member: while it is away nothing can be locked, and with its disk everything is"
                            + " lost.",
                    "Run three or five members."));
        } else if (voting > 1
                && settings.channel() == null
                && settings.endpoints().size() == 1) {
            findings.add(new Finding(
                    "etcd.one-endpoint",
                    Severity.NOTE,
                    "The cluster has " + voting
                            + " members, and only one is named here: while that one is away nothing can"
                            + " be locked.",
                    "Name them all in the URL."));
        }
    }
}

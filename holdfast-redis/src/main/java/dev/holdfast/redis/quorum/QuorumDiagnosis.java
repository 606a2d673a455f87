package dev.holdfast.redis.quorum;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Diagnosis;
import dev.holdfast.redis.node.MemoryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What about the servers of a quorum endangers its locks. */
public final class QuorumDiagnosis {
    /** Together more than a second: on a busy machine a process that has just started is slower than the limit for a vote. */
    private static final int TRIES = 8;

    private static final Duration PAUSE = Duration.ofMillis(150);

    private final Quorum quorum;
    private final Admissions admissions;
    private final Members members;
    /** Completed by the last node that was seen, or by whoever asked and has gone. */
    private final CompletableFuture<List<Finding>> answer = new CompletableFuture<>();

    private QuorumDiagnosis(Quorum quorum, Admissions admissions) {
        this.quorum = quorum;
        this.admissions = admissions;
        this.members = quorum.members;
    }

    /** @param failure why it gives us no vote; null if it does */
    private record Seen(Member member, @Nullable Throwable failure, List<Finding> others) {
        boolean votes() {
            return failure == null;
        }
    }

    public static CompletionStage<List<Finding>> of(Quorum quorum, Admissions admissions) {
        return new QuorumDiagnosis(quorum, admissions).begin();
    }

    private CompletableFuture<List<Finding>> begin() {
        List<CompletableFuture<Seen>> each = members.all.stream()
                .map(member -> see(member).toCompletableFuture())
                .toList();
        var unused = CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        findings(each.stream().map(CompletableFuture::join).toList()))
                .whenComplete((findings, failure) -> {
                    if (failure == null) {
                        answer.complete(findings);
                    } else {
                        answer.completeExceptionally(Member.unwrap(failure));
                    }
                });
        return answer;
    }

    private CompletionStage<Seen> see(Member member) {
        return server(member)
                .thenCompose(others ->
                        failureOf(member, TRIES).thenApply(failure -> new Seen(member, failure.orElse(null), others)));
    }

    /**
     * Empty if the node votes. A lock does without a node that is slow once; somebody who asks how things are wants to know whether
     * it stays so. That it does not vote is an answer.
     */
    private CompletionStage<Optional<Throwable>> failureOf(Member member, int tries) {
        return quorum.look(member)
                .handle((reply, failure) -> Optional.ofNullable(failure).map(Member::unwrap))
                .thenCompose(failure -> failure.isEmpty() || failure.get() instanceof Unadmitted || tries == 1
                        ? CompletableFuture.completedFuture(failure)
                        : quorum.afterAPause(PAUSE)
                                .thenCompose(rested -> answer.isDone()
                                        ? CompletableFuture.completedFuture(failure)
                                        : failureOf(member, tries - 1)));
    }

    private List<Finding> findings(List<Seen> seen) {
        int voting = (int) seen.stream().filter(Seen::votes).count();
        List<Finding> all = new ArrayList<>();
        all.add(quorum(voting));
        all.add(restart(seen, voting));
        for (Seen each : seen) {
            all.add(each.failure == null ? votes(each.member) : problem(each.member, each.failure, voting));
            all.addAll(each.others);
        }
        return List.copyOf(all);
    }

    private Finding quorum(int voting) {
        String count = voting + " of " + members.size() + " servers vote, and a lock needs " + members.majority + ".";
        if (voting == members.size()) {
            return new Finding("quorum.voting", Severity.NOTE, count, "");
        }
        return voting >= members.majority
                ? new Finding(
                        "quorum.voting",
                        Severity.WARNING,
                        count + " " + (voting - members.majority) + " more may fail before no lock can be had.",
                        "Look after those that do not vote, below.")
                : new Finding(
                        "quorum.voting",
                        Severity.DANGER,
                        count + " No lock can be acquired or renewed.",
                        "Bring back those that do not vote, below: " + (members.majority - voting) + " at least.");
    }

    /** One at a time, and none before the last one votes again: else a majority is gone for the longest lease. */
    private Finding restart(List<Seen> seen, int voting) {
        String pause = "A server that restarts does not vote for " + seconds(admissions.neededMillis())
                + " s afterwards, the longest lease (maxLease) and drift";
        int spare = voting - members.majority;
        if (voting == members.size()) {
            return new Finding(
                    "quorum.restart",
                    Severity.NOTE,
                    "The next server may be restarted now. " + pause + "; restart the one after it when all "
                            + members.size() + " vote again.",
                    "");
        }
        long left = seen.stream()
                .filter(each -> !each.votes())
                .mapToLong(each -> admissions.leftMillis(each.member))
                .max()
                .orElse(0);
        String wait = left == 0
                ? "Wait until all " + members.size() + " vote."
                : "Wait until all " + members.size() + " vote: another " + seconds(left) + " s at least.";
        return new Finding(
                "quorum.restart",
                Severity.WARNING,
                "Do not restart another server now: "
                        + (spare > 0
                                ? "only " + (spare - 1) + " of those left could fail then."
                                : "no lock could be had then.")
                        + " " + pause + ".",
                wait);
    }

    private static long seconds(long millis) {
        return (millis + 999) / 1000;
    }

    private static Finding votes(Member member) {
        return new Finding("quorum.node", Severity.NOTE, "Redis at " + member.address() + " votes.", "");
    }

    private Finding problem(Member member, Throwable failure, int voting) {
        String progress = admissions.progress(member);
        boolean enough = voting >= members.majority;
        if (member.mayForget()) {
            return new Finding("quorum.eviction", Severity.DANGER, member.whyItMayForget() + ".", MemoryPolicy.REMEDY);
        }
        if (!member.boundElsewhere().isEmpty()) {
            return new Finding(
                    "quorum.list",
                    Severity.DANGER,
                    member.address() + ": " + member.boundElsewhere() + ".",
                    "Give every client the list that the servers have, or replace the server by an explicit call.");
        }
        return new Finding(
                "quorum.node",
                enough ? Severity.WARNING : Severity.DANGER,
                failure.getMessage() + (progress == null ? "" : " (" + progress + ")") + ".",
                failure instanceof Unadmitted
                        ? "Wait. For new servers, initialise the quorum: RedlockBackend.initialise, or holdfast init."
                        : enough
                                ? "A minority may be like that. Look after it before another fails."
                                : "A majority must not be like that. Bring it back.");
    }

    /**
     * As for one server, but a quorum minds other things: a node that forgets does not vote until that is harmless; one that
     * replicates can be given back an older memory without anybody noticing.
     */
    private CompletionStage<List<Finding>> server(Member member) {
        return Diagnosis.of(member.node, quorum.keys, quorum.environment, answer::isDone)
                .handle((findings, failure) -> failure != null
                        ? List.<Finding>of()
                        : findings.stream()
                                .filter(each -> !each.code().equals(Diagnosis.NOT_PERSISTENT))
                                .map(each -> forQuorum(member, each))
                                .toList());
    }

    private static Finding forQuorum(Member member, Finding finding) {
        String what = member.address() + ": " + finding.what();
        return finding.code().equals(Diagnosis.REPLICAS)
                ? new Finding(
                        finding.code(),
                        Severity.DANGER,
                        what,
                        "Take the replicas off: the servers of a quorum stand for themselves. With persistence they come back"
                                + " by themselves.")
                : new Finding(finding.code(), finding.severity(), what, finding.remedy());
    }
}

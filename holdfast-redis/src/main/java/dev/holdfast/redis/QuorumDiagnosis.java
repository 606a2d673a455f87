package dev.holdfast.redis;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What about the servers of a quorum endangers its locks. */
final class QuorumDiagnosis {
    private QuorumDiagnosis() {}

    static CompletionStage<List<Finding>> of(Quorum quorum, Admissions admissions) {
        List<CompletableFuture<List<Finding>>> each = quorum.members.all.stream()
                .map(member -> of(quorum, admissions, member).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<Finding> all = new ArrayList<>();
                    each.forEach(findings -> all.addAll(findings.join()));
                    return List.copyOf(all);
                });
    }

    private static CompletionStage<List<Finding>> of(Quorum quorum, Admissions admissions, Member member) {
        return quorum.look(member)
                .handle((reply, failure) -> failure == null
                        ? new Finding(Severity.NOTE, "Redis at " + member.address() + " votes.", "")
                        : problem(member, admissions, Member.unwrap(failure)))
                .thenCombine(server(quorum, member), (voting, others) -> {
                    List<Finding> all = new ArrayList<>(List.of(voting));
                    all.addAll(others);
                    return all;
                });
    }

    private static Finding problem(Member member, Admissions admissions, Throwable failure) {
        String progress = admissions.progress(member);
        return new Finding(
                Severity.WARNING,
                failure.getMessage() + (progress == null ? "" : " (" + progress + ")") + ".",
                failure instanceof Unadmitted
                        ? "Wait. For new servers, initialise the quorum: RedlockBackend.initialise, or holdfast init."
                        : "A minority may be like that. Look after it before another fails.");
    }

    /**
     * As for one server, but a quorum minds other things: a node that forgets does not vote until that is harmless; one that
     * replicates can be given back an older memory without anybody noticing.
     */
    private static CompletionStage<List<Finding>> server(Quorum quorum, Member member) {
        return Diagnosis.of(member.node, quorum.environment)
                .handle((findings, failure) -> failure != null
                        ? List.<Finding>of()
                        : findings.stream()
                                .filter(each -> !each.what().contains("append-only file"))
                                .map(each -> forQuorum(member, each))
                                .toList());
    }

    private static Finding forQuorum(Member member, Finding finding) {
        String what = member.address() + ": " + finding.what();
        return finding.what().contains("has replicas")
                ? new Finding(
                        Severity.DANGER,
                        what,
                        "Take the replicas off: the servers of a quorum stand for themselves. With persistence they come back"
                                + " by themselves.")
                : new Finding(finding.severity(), what, finding.remedy());
    }
}

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

    static CompletionStage<List<Finding>> of(Quorum quorum) {
        List<CompletableFuture<List<Finding>>> each = quorum.members.all.stream()
                .map(member -> of(quorum, member).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<Finding> all = new ArrayList<>();
                    each.forEach(findings -> all.addAll(findings.join()));
                    return List.copyOf(all);
                });
    }

    private static CompletionStage<List<Finding>> of(Quorum quorum, Member member) {
        return quorum.look(member).handle((reply, failure) -> {
            if (failure == null) {
                return List.of(new Finding(Severity.NOTE, "Redis at " + member.address() + " votes.", ""));
            }
            return List.of(new Finding(
                    Severity.WARNING,
                    String.valueOf(Member.unwrap(failure).getMessage()),
                    "A minority may be like that. Look after it before another fails."));
        });
    }
}

package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The requests by which a node gets its vote, or loses it. They are sent whether it votes or not. */
final class AdmissionRequests {
    private final Members members;
    private final Environment environment;
    private final Keys keys;
    private final Duration maxLease;

    AdmissionRequests(Members members, Environment environment, Keys keys, Duration maxLease) {
        this.members = members;
        this.environment = environment;
        this.keys = keys;
        this.maxLease = maxLease;
    }

    /** As {@link Quorum#look}, whether it votes or not. */
    CompletionStage<QuorumReplies.Sight> sight(Member member) {
        return member.callAnyway(Script.QUORUM_LOOK, new String[] {keys.admission()}, "")
                .thenApply(QuorumReplies.Sight::of);
    }

    /**
     * Adds to the time for which a node that does not vote was watched.
     *
     * @param seen the nonce of what was seen before, or empty; and for how long that has certainly lasted by now
     * @param version of the list of servers
     */
    CompletionStage<QuorumReplies.Observed> observe(Member member, String seen, long observedMillis, long version) {
        return member.callAnyway(
                        Script.QUORUM_OBSERVE,
                        new String[] {keys.admission()},
                        "",
                        Owner.random(environment.random()).toString(),
                        Long.toString(maxLease.toMillis()),
                        seen,
                        Long.toString(observedMillis),
                        Long.toString(version),
                        members.list.text())
                .thenApply(QuorumReplies.Observed::of);
    }

    /** Takes the vote of a node that may forget, from all clients. */
    CompletionStage<List<Object>> suspend(Member member) {
        return member.callAnyway(
                Script.QUORUM_SUSPEND,
                new String[] {keys.admission()},
                "",
                Owner.random(environment.random()).toString());
    }

    CompletionStage<QuorumReplies.Ledger> ledger(Member member) {
        return member.callAnyway(Script.QUORUM_LEDGER, keys.ledger(), "").thenApply(QuorumReplies.Ledger::of);
    }

    /** Answers whether it votes now. */
    CompletionStage<Boolean> admit(
            Member member, String nonce, long maxLeaseMillis, long watchedMillis, long version, List<Long> seeds) {
        String[] arguments = new String[5 + seeds.size()];
        arguments[0] = "";
        arguments[1] = nonce;
        arguments[2] = Long.toString(maxLeaseMillis);
        arguments[3] = Long.toString(watchedMillis);
        arguments[4] = Long.toString(version);
        for (int i = 0; i < seeds.size(); i++) {
            arguments[5 + i] = seeds.get(i).toString();
        }
        return member.callAnyway(Script.QUORUM_ADMIT, keys.ledger(), arguments).thenApply(QuorumReplies::isAdmitted);
    }
}

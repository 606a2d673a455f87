package dev.holdfast.redis;

import dev.holdfast.redis.node.Groups;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedirectException;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Renews many tenures by few requests: one for all that a server takes in one. In a cluster those are the names of one slot; while
 * the slot is moving some of its keys are at either server, so each is renewed by itself then.
 */
final class RenewalRequests {
    private static final Renewal GONE = new Renewal.Gone();

    private final Topology servers;
    private final Keys keys;
    private final Environment environment;

    RenewalRequests(Topology servers, Keys keys, Environment environment) {
        this.servers = servers;
        this.keys = keys;
        this.environment = environment;
    }

    /** The answers are in the order of the holdings. */
    CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        if (holdings.isEmpty()) {
            return CompletableFuture.completedStage(List.of());
        }
        List<List<Holding>> groups = Groups.of(servers, holdings, Holding::key, holdings.size());
        return groups.size() == 1 ? renewTogether(holdings) : renewGroups(holdings, groups);
    }

    private CompletionStage<List<Renewal>> renewGroups(List<Holding> holdings, List<List<Holding>> groups) {
        List<CompletableFuture<List<Renewal>>> answers = new ArrayList<>();
        for (List<Holding> group : groups) {
            answers.add(renewTogether(group).toCompletableFuture().exceptionally(failure -> unknown(group, failure)));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> {
                    Map<Holding, Renewal> all = new HashMap<>();
                    for (int i = 0; i < groups.size(); i++) {
                        List<Renewal> answer = answers.get(i).join();
                        for (int j = 0; j < answer.size(); j++) {
                            all.put(groups.get(i).get(j), answer.get(j));
                        }
                    }
                    return holdings.stream().map(all::get).toList();
                });
    }

    private static List<Renewal> unknown(List<Holding> group, Throwable failure) {
        Renewal unknown = new Renewal.Unknown(Failures.unwrap(failure));
        return group.stream().map(holding -> unknown).toList();
    }

    /** One request. */
    private CompletionStage<List<Renewal>> renewTogether(List<Holding> holdings) {
        String[] locks = new String[holdings.size()];
        String[] arguments = new String[2 * locks.length];
        for (int i = 0; i < locks.length; i++) {
            Holding holding = holdings.get(i);
            locks[i] = keys.lock(holding.key());
            arguments[2 * i] = Wire.beginning(holding.owner(), holding.lastToken());
            arguments[2 * i + 1] = Long.toString(holding.lease().toMillis());
        }
        return servers.at(holdings.get(0).key(), server -> ask(server, holdings, locks, arguments));
    }

    private CompletionStage<List<Renewal>> ask(
            ScriptRunner server, List<Holding> holdings, String[] locks, String[] arguments) {
        long sent = environment.nanoTime();
        CompletionStage<List<Renewal>> renewed = server.eval(Script.RENEW, locks, arguments)
                .thenApply(reply -> {
                    List<Renewal> renewals = new ArrayList<>(locks.length);
                    for (int i = 0; i < locks.length; i++) {
                        Duration lease = holdings.get(i).lease();
                        renewals.add(
                                Replies.isRenewed(reply, i) ? new Renewal.Renewed(Validity.until(sent, lease)) : GONE);
                    }
                    return renewals;
                });
        return holdings.size() == 1 ? renewed : oneByOneWhileMoving(renewed, holdings);
    }

    private CompletionStage<List<Renewal>> oneByOneWhileMoving(
            CompletionStage<List<Renewal>> renewed, List<Holding> holdings) {
        return renewed.handle((renewals, failure) -> {
                    boolean moving = failure != null
                            && Failures.unwrap(failure) instanceof RedirectException redirect
                            && redirect.kind() == RedirectException.Kind.TRY_AGAIN;
                    if (!moving) {
                        return renewed;
                    }
                    return renewGroups(holdings, holdings.stream().map(List::of).toList());
                })
                .thenCompose(stage -> stage);
    }
}

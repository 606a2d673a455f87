package dev.holdfast.redis;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
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
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Renews many tenures by few requests: one for all of one kind that a server takes in one. In a cluster those are the names of one slot; while
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
        List<List<Holding>> groups = groups(holdings);
        return groups.size() == 1 ? renewTogether(holdings) : renewGroups(holdings, groups);
    }

    /** One for each request: one slot of a cluster, and one kind, because each kind has a script. */
    private List<List<Holding>> groups(List<Holding> holdings) {
        List<List<Holding>> groups = new ArrayList<>();
        Map<LockKind, List<Holding>> kinds = new EnumMap<>(LockKind.class);
        for (Holding holding : holdings) {
            kinds.computeIfAbsent(LockKey.kindOf(holding.key()), kind -> new ArrayList<>())
                    .add(holding);
        }
        kinds.values().forEach(some -> groups.addAll(Groups.of(servers, some, Holding::key, some.size())));
        return groups;
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
        String first = holdings.get(0).key();
        LockKind kind = LockKey.kindOf(first);
        String[] locks = new String[holdings.size()];
        List<String> arguments = new ArrayList<>(3 * locks.length);
        for (int i = 0; i < locks.length; i++) {
            Holding holding = holdings.get(i);
            String name = LockKey.nameIn(holding.key());
            locks[i] = switch (kind) {
                case LOCK -> keys.lock(name);
                case SEMAPHORE -> keys.slot(name, holding.slot());
                case READ_WRITE_LOCK -> keys.readWriteLock(name);
            };
            if (kind == LockKind.READ_WRITE_LOCK) {
                arguments.add(holding.owner().toString());
            }
            arguments.add(Wire.beginning(holding.owner(), holding.lastToken()));
            arguments.add(Long.toString(holding.lease().toMillis()));
        }
        Script script = switch (kind) {
            case LOCK -> Script.RENEW;
            case SEMAPHORE -> Script.SEMAPHORE_RENEW;
            case READ_WRITE_LOCK -> Script.RW_RENEW;
        };
        String[] all = arguments.toArray(String[]::new);
        return servers.at(first, server -> ask(server, script, holdings, locks, all));
    }

    private CompletionStage<List<Renewal>> ask(
            ScriptRunner server, Script script, List<Holding> holdings, String[] locks, String[] arguments) {
        long sent = environment.nanoTime();
        CompletionStage<List<Renewal>> renewed = server.eval(script, locks, arguments)
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

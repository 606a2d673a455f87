package dev.holdfast.redis;

import dev.holdfast.LockUnavailableException;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The first contact with the servers of a quorum, by a caller who waits for it. */
final class QuorumConnect {
    /** Done once, by somebody who watches: better late than half. */
    static final Duration INITIALISE_TIMEOUT = Duration.ofSeconds(10);
    /** Those that are there answer about together; one that hangs must not be waited for. */
    private static final Duration STRAGGLERS = Duration.ofMillis(100);

    private QuorumConnect() {}

    /** @param all whether every server has to answer, or a majority is enough */
    static List<LettuceNode> connect(
            @Nullable RedisClient client, List<String> urls, Duration timeout, Keys keys, boolean all) {
        List<LettuceNode> nodes = LettuceClients.nodes(client, urls, timeout, keys);
        try {
            dial(nodes, all ? nodes.size() : Ballot.majorityOf(nodes.size()), LettuceClients.dialTimeout(timeout));
            requireDifferent(nodes);
            return nodes;
        } catch (RuntimeException e) {
            nodes.forEach(RedisNode::close);
            throw e;
        }
    }

    private static void dial(List<LettuceNode> nodes, int enough, Duration timeout) {
        List<CompletableFuture<Void>> dials = new ArrayList<>();
        CompletableFuture<Void> decided = new CompletableFuture<>();
        AtomicInteger connected = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        for (LettuceNode node : nodes) {
            CompletableFuture<Void> dial = node.connectAsync();
            dials.add(dial);
            var unused = dial.whenComplete((nothing, failure) -> {
                int count = failure == null ? connected.incrementAndGet() : failed.incrementAndGet();
                if (failure == null ? count == enough : count == nodes.size() - enough + 1) {
                    decided.complete(null);
                }
            });
        }
        await(decided, timeout.multipliedBy(3));
        await(CompletableFuture.allOf(dials.toArray(CompletableFuture<?>[]::new)), STRAGGLERS);
        if (connected.get() < enough) {
            String message = "Only " + connected.get() + " of " + nodes.size() + " servers can be reached, and "
                    + enough + " are needed: " + reasons(nodes, dials);
            throw new LockUnavailableException(message, new IOException(message));
        }
    }

    private static void await(CompletableFuture<?> future, Duration limit) {
        try {
            future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException whateverCame) {
            // What has come is looked at by the caller.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("Interrupted while connecting", e);
        }
    }

    private static String reasons(List<LettuceNode> nodes, List<CompletableFuture<Void>> dials) {
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            CompletableFuture<Void> dial = dials.get(i);
            if (!dial.isDone()) {
                reasons.add("Redis at " + nodes.get(i).address() + " has not answered");
            } else if (dial.isCompletedExceptionally()) {
                reasons.add(dial.handle((nothing, failure) ->
                                String.valueOf(Member.unwrap(failure).getMessage()))
                        .join());
            }
        }
        return String.join("; ", reasons);
    }

    private static void requireDifferent(List<? extends RedisNode> nodes) {
        Map<String, String> seen = new HashMap<>();
        for (RedisNode node : nodes) {
            RedisNode.Identity identity = node.identity();
            if (identity.runId().isEmpty()) {
                continue;
            }
            if (!identity.countsReceivers()) {
                throw new IllegalArgumentException("Redis at " + node.address()
                        + " is part of a cluster: the servers of a quorum must be independent of each other");
            }
            String other = seen.putIfAbsent(identity.runId(), node.address());
            if (other != null) {
                throw new IllegalArgumentException(other + " and " + node.address()
                        + " lead to the same server: one server has one vote. Leave one of them out");
            }
        }
    }

    // ---- a new deployment

    static void initialise(List<? extends RedisNode> nodes, Keys keys, Duration maxLease) {
        // First everywhere only a look: nothing is changed where anything is there.
        run(nodes, keys, maxLease, "look");
        run(nodes, keys, maxLease, "");
    }

    private static void run(List<? extends RedisNode> nodes, Keys keys, Duration maxLease, String mode) {
        Map<RedisNode, CompletableFuture<List<Object>>> asked = new HashMap<>();
        for (RedisNode node : nodes) {
            RedisNode.Identity server = node.identity();
            String[] arguments = {Wire.admitted(nodes.size(), server), Long.toString(maxLease.toMillis()), mode};
            asked.put(
                    node,
                    node.evalAt(server, Script.QUORUM_INITIALISE, keys.ledger(), arguments)
                            .toCompletableFuture());
        }
        await(CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new)), INITIALISE_TIMEOUT);
        String problems = asked.entrySet().stream()
                .map(each -> problem(each.getKey(), each.getValue()))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!problems.isEmpty()) {
            throw new IllegalStateException(
                    "Not initialised: " + problems + ". Servers that are in use already, or were,"
                            + " begin to vote by themselves once every lease that may exist is over");
        }
    }

    private static String problem(RedisNode node, CompletableFuture<List<Object>> asked) {
        if (!asked.isDone()) {
            return "Redis at " + node.address() + " has not answered";
        }
        return asked.handle((reply, failure) -> {
                    if (failure != null) {
                        return String.valueOf(Member.unwrap(failure).getMessage());
                    }
                    return Member.number(reply, 0) == 1
                            ? ""
                            : "Redis at " + node.address() + " has something already: " + Member.text(reply, 2);
                })
                .join();
    }
}

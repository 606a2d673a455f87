package dev.holdfast.redis.quorum;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.lettuce.LettuceClients;
import dev.holdfast.redis.lettuce.LettuceNode;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
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
import org.jspecify.annotations.Nullable;

/** The first contact with the servers of a quorum, by a caller who waits for it. */
public final class QuorumConnect {
    /** Done once, by somebody who watches: better late than half. */
    static final Duration INITIALISE_TIMEOUT = Duration.ofSeconds(10);
    /** Those that are there answer about together; one that hangs must not be waited for. */
    private static final Duration STRAGGLERS = Duration.ofMillis(100);

    private QuorumConnect() {}

    /** To work with: a majority is enough, and one that hangs is not waited for. */
    public static List<LettuceNode> connect(
            @Nullable RedisClient client, List<RedisURI> servers, Duration timeout, Keys keys) {
        return connect(client, servers, timeout, keys, Ballot.majorityOf(servers.size()), STRAGGLERS);
    }

    /** For an operator who sets something up: waits longer for each of them. So many have to answer. */
    public static List<LettuceNode> connectPatiently(
            @Nullable RedisClient client, List<RedisURI> servers, Keys keys, int enough) {
        return connect(client, servers, INITIALISE_TIMEOUT, keys, enough, INITIALISE_TIMEOUT);
    }

    private static List<LettuceNode> connect(
            @Nullable RedisClient client,
            List<RedisURI> servers,
            Duration timeout,
            Keys keys,
            int enough,
            Duration stragglers) {
        List<LettuceNode> nodes = LettuceClients.nodes(client, servers, timeout, keys);
        try {
            dial(nodes, enough, LettuceClients.dialTimeout(timeout), stragglers);
            requireDifferent(nodes);
            return nodes;
        } catch (RuntimeException e) {
            nodes.forEach(RedisNode::close);
            throw e;
        }
    }

    private static void dial(List<LettuceNode> nodes, int enough, Duration timeout, Duration stragglers) {
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
        await(CompletableFuture.allOf(dials.toArray(CompletableFuture<?>[]::new)), stragglers);
        // Not the counter: whoever waits for all of them may be woken before the last one was counted.
        long reached = dials.stream()
                .filter(dial -> dial.isDone() && !dial.isCompletedExceptionally())
                .count();
        if (reached < enough) {
            String message = "Only " + reached + " of " + nodes.size() + " servers can be reached, and " + enough
                    + " are needed: " + reasons(nodes, dials);
            throw new LockUnavailableException(message, cause(dials, nodes.size() - enough, message));
        }
    }

    /** Trying again does not help where more have refused us than may be missing. */
    private static Exception cause(List<CompletableFuture<Void>> dials, int dispensable, String message) {
        long refusals = dials.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .map(dial -> dial.handle((nothing, failure) -> Member.unwrap(failure))
                        .join())
                .filter(RefusedException.class::isInstance)
                .count();
        return refusals > dispensable ? new RefusedException(message) : new IOException(message);
    }

    static void await(CompletableFuture<?> future, Duration limit) {
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
                reasons.add(dial.handle((nothing, failure) -> Failures.describe(failure))
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
}

package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.NotConfirmedException;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.spi.Environment;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Claims whose grants have to be confirmed by replicas or disks. WAIT keeps a connection busy until it is answered, and covers what
 * was written over that connection before it: so claims have one of their own, and one WAIT serves all grants that were answered
 * before it was sent.
 */
final class ConfirmedClaims implements ScriptRunner {
    private final LettuceNode node;
    private final Confirmation confirmation;
    // Guards both fields below; requests are sent, and grants handed on, after it is free.
    private final ReentrantLock lock = new ReentrantLock();
    private List<Pending> pending = new ArrayList<>();
    private boolean waiting;

    /** A grant that is not confirmed yet, and the connection over which it came. */
    private record Pending(
            StatefulRedisConnection<String, String> connection,
            List<Object> grant,
            CompletableFuture<List<Object>> answer) {}

    /** @param node used for nothing else */
    ConfirmedClaims(LettuceNode node, Confirmation confirmation) {
        this.node = node;
        this.confirmation = confirmation;
    }

    CompletableFuture<Void> connectAsync() {
        return node.connectAsync();
    }

    void open(Environment environment) {
        node.openCommands(environment, new Silent());
    }

    /** As of {@link LettuceNode#review}. */
    void review() {
        node.review();
    }

    @Override
    public String address() {
        return node.address();
    }

    @Override
    public RedisNode.Identity identity() {
        return node.identity();
    }

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        return confirm(node.connection(), node.eval(script, keys, arguments));
    }

    /** For a slot that is moving to this server. */
    ScriptRunner asking() {
        ScriptRunner moving = node.asking();
        return new ScriptRunner() {
            @Override
            public String address() {
                return node.address();
            }

            @Override
            public RedisNode.Identity identity() {
                return node.identity();
            }

            @Override
            public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
                return confirm(node.connection(), moving.eval(script, keys, arguments));
            }
        };
    }

    /** @param before the connection as of before it was sent: if it is another one now, WAIT would say nothing about this grant */
    private CompletionStage<List<Object>> confirm(
            @Nullable StatefulRedisConnection<String, String> before, CompletionStage<List<Object>> claimed) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        var unused = claimed.whenComplete((reply, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (!Replies.isGrant(reply)) {
                answer.complete(reply);
            } else if (before == null || before != node.connection()) {
                answer.completeExceptionally(new NotConfirmedException(
                        "The connection to Redis at " + address() + " was replaced before the grant was confirmed"));
            } else {
                add(new Pending(before, reply, answer));
            }
        });
        return answer;
    }

    private void add(Pending grant) {
        lock.lock();
        try {
            pending.add(grant);
        } finally {
            lock.unlock();
        }
        next();
    }

    private void next() {
        List<Pending> these;
        lock.lock();
        try {
            if (waiting || pending.isEmpty()) {
                return;
            }
            waiting = true;
            these = pending;
            pending = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        StatefulRedisConnection<String, String> connection =
                these.get(these.size() - 1).connection();
        var unused = node.askOver(connection, confirmation.command(), confirmation.arguments())
                .whenComplete((said, failure) -> {
                    these.forEach(each -> end(each, connection, said, failure));
                    lock.lock();
                    try {
                        waiting = false;
                    } finally {
                        lock.unlock();
                    }
                    next();
                });
    }

    private void end(
            Pending grant,
            StatefulRedisConnection<String, String> connection,
            @Nullable List<Object> said,
            @Nullable Throwable failure) {
        if (failure != null) {
            grant.answer().completeExceptionally(failure);
        } else if (grant.connection() != connection) {
            grant.answer()
                    .completeExceptionally(new NotConfirmedException("The connection to Redis at " + address()
                            + " was replaced before the grant was confirmed"));
        } else if (said == null || !confirmation.isReached(said)) {
            grant.answer()
                    .completeExceptionally(new NotConfirmedException("Redis at " + address() + ": only "
                            + confirmation.shortfall(said == null ? List.of(0L, 0L) : said)
                            + ". The lock was given back. Look at the replicas, or ask for fewer"));
        } else {
            grant.answer().complete(grant.grant());
        }
    }

    CompletableFuture<Void> closeAsync() {
        return node.closeAsync();
    }

    /** What happens to the server is told by its other connections. */
    private static final class Silent implements RedisNode.Listener {
        @Override
        public void reconnected() {}

        @Override
        public void notConnected(Throwable why) {}

        @Override
        public void subscribed(String channel) {}

        @Override
        public void notSubscribed(Throwable why) {}

        @Override
        public void message(String text) {}
    }
}

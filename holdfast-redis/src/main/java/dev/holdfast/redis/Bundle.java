package dev.holdfast.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Claims, or releases, that travel to a node of a quorum as one request, and get an answer each. The node carries them out
 * one after the other. Most of what a vote costs it, and us, is what any request costs.
 */
final class Bundle {
    /** What goes together. Numbers are places among the arguments. */
    private static final class Kind {
        final Script script;
        /** Those of the whole bundle. */
        final int[] shared;
        /** Those of each. */
        final int[] own;

        Kind(Script script, int[] shared, int... own) {
            this.script = script;
            this.shared = shared;
            this.own = own;
        }

        boolean isLike(Call one, Call other) {
            for (int at : shared) {
                if (!one.arguments[at].equals(other.arguments[at])) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The script failed as a whole. What the server says of lines is about this one. */
    static final class Failure extends RedisCommandExecutionException {
        private static final long serialVersionUID = 1;

        final Script script;

        Failure(String said, Script script) {
            super(said);
            this.script = script;
        }
    }

    // Shared: admitted, lease, tokens, holder. Own: owner, round, not-after, proposal, inbox.
    private static final Kind CLAIMS = new Kind(Script.QUORUM_ACQUIRE_BUNDLE, new int[] {0, 3, 4, 5}, 1, 2, 6, 7, 8);
    // Shared: admitted, window. Own: owner.
    private static final Kind RELEASES = new Kind(Script.QUORUM_RELEASE_BUNDLE, new int[] {0, 2}, 1);
    private static final int OWNER = 1;
    /** The server does nothing else meanwhile: as a rule for half a millisecond. */
    private static final int MOST = 64;
    /** Begins the answer to a request that failed by itself; the text of the error comes behind. */
    private static final long FAILED = -4;

    private final List<Request> requests;
    private final Call call;
    private final Consumer<Request> sender;

    private Bundle(Kind kind, List<Request> requests, Consumer<Request> sender) {
        this.requests = List.copyOf(requests);
        this.call = join(kind, this.requests);
        this.sender = sender;
    }

    /** Whether there are bundles of such requests. */
    static boolean takes(Script script) {
        return script == Script.QUORUM_ACQUIRE || script == Script.QUORUM_RELEASE;
    }

    // ---- putting together

    /**
     * Requests in the order in which they came. They are sent as few: releases first, because a claim may be for the same
     * lock, but never before the claim whose vote they take back. Else that vote would stay.
     */
    static void send(List<Request> requests, Consumer<Request> sender) {
        if (requests.size() == 1) {
            requests.forEach(sender);
            return;
        }
        List<Request> releases = new ArrayList<>();
        List<Request> claims = new ArrayList<>();
        Set<String> claimants = new HashSet<>();
        for (Request request : requests) {
            if (request.isDone()) {
                // Its time ran out before it was sent.
                continue;
            }
            String owner = request.call().arguments[OWNER];
            if (request.call().script == Script.QUORUM_ACQUIRE) {
                claims.add(request);
                claimants.add(owner);
                continue;
            }
            if (claimants.contains(owner)) {
                send(RELEASES, releases, sender);
                send(CLAIMS, claims, sender);
                claimants.clear();
            }
            releases.add(request);
        }
        send(RELEASES, releases, sender);
        send(CLAIMS, claims, sender);
    }

    private static void send(Kind kind, List<Request> requests, Consumer<Request> sender) {
        int from = 0;
        while (from < requests.size()) {
            Request first = requests.get(from);
            int to = from + 1;
            while (to < requests.size()
                    && to - from < MOST
                    && kind.isLike(first.call(), requests.get(to).call())) {
                to++;
            }
            sender.accept(to - from == 1 ? first : new Bundle(kind, requests.subList(from, to), sender).request());
            from = to;
        }
        requests.clear();
    }

    /** Of each: lock, queue, fence and admission record. Of all: the admission record, locks, fences, queues. */
    private static Call join(Kind kind, List<Request> requests) {
        int count = requests.size();
        Call first = requests.get(0).call();
        String[] keys = new String[1 + 3 * count];
        keys[0] = first.keys[3];
        List<String> arguments = new ArrayList<>(kind.shared.length + kind.own.length * count);
        for (int at : kind.shared) {
            arguments.add(first.arguments[at]);
        }
        for (int i = 0; i < count; i++) {
            Call call = requests.get(i).call();
            keys[1 + i] = call.keys[0];
            keys[1 + count + i] = call.keys[2];
            keys[1 + 2 * count + i] = call.keys[1];
            for (int at : kind.own) {
                arguments.add(call.arguments[at]);
            }
        }
        return new Call(kind.script, keys, arguments.toArray(String[]::new));
    }

    // ---- taking apart

    private Request request() {
        return new Request(CommandType.EVALSHA, call, (reply, failure) -> {
            // Nothing was done. Who has given up meanwhile has undone what this would do: it must not be done now.
            if (failure != null
                    && LettuceNode.isNoScript(failure)
                    && requests.stream().noneMatch(Request::isDone)) {
                sender.accept(new Request(CommandType.EVAL, call.teaching(), this::distribute));
            } else {
                distribute(reply, failure);
            }
        });
    }

    private void distribute(List<Object> reply, @Nullable Throwable failure) {
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            try {
                if (failure == null) {
                    answer(request, isRefusal(reply) ? reply : reply.get(i));
                } else {
                    request.completeExceptionally(
                            failure instanceof RedisCommandExecutionException
                                    ? new Failure(String.valueOf(failure.getMessage()), call.script)
                                    : failure);
                }
            } catch (RuntimeException e) {
                // No matter of the others.
                request.completeExceptionally(e);
            }
        }
    }

    /** Of the node, to all of them. */
    private static boolean isRefusal(List<Object> reply) {
        return reply.get(0) instanceof Long code && code < 0;
    }

    private static void answer(Request request, Object answer) {
        if (!(answer instanceof List<?> list)) {
            request.answer(List.of(answer));
        } else if (list.get(0).equals(FAILED)) {
            request.completeExceptionally(new RedisCommandExecutionException(String.valueOf(list.get(1))));
        } else {
            request.answer(List.copyOf(list));
        }
    }
}

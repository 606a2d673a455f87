package dev.holdfast.redis.node;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Claims, or releases, that travel to a node of a quorum as one request, and get an answer each. The node carries them out one
 * after the other. Most of what a vote costs it, and us, is what any request costs.
 *
 * <p>Knows nothing of connections and threads: whoever has requests to write at the same moment calls {@link #send}.
 */
public final class RequestBatch {
    /** A request that may be sent in a batch. It ends once: with an answer, or with a failure. */
    public interface Item {
        Script script();

        String[] keys();

        String[] arguments();

        /** Whether it has ended: its time ran out before it was sent, for example. */
        boolean isDone();

        void answer(List<Object> reply);

        /** It was carried out by itself within the batch, and the server said that. */
        void failedAlone(String error);

        void fail(Throwable failure);
    }

    /** Writes to one node, in this order. */
    public interface Sender<I extends Item> {
        void sendAlone(I request);

        /** The answer goes to {@link #distribute}, a failure to {@link #fail}. */
        void sendBatch(RequestBatch batch);
    }

    /** What goes together. Numbers are places among the arguments. */
    private static final class Kind {
        final Script script;
        /** Those of the whole batch. */
        final int[] shared;
        /** Those of each. */
        final int[] own;

        Kind(Script script, int[] shared, int... own) {
            this.script = script;
            this.shared = shared;
            this.own = own;
        }

        boolean isLike(Item one, Item other) {
            for (int at : shared) {
                if (!one.arguments()[at].equals(other.arguments()[at])) {
                    return false;
                }
            }
            return true;
        }
    }

    // Shared: admitted, lease, tokens, tail. Own: owner, round, not-after, proposal, queue entry.
    private static final Kind CLAIMS = new Kind(Script.QUORUM_ACQUIRE_BATCH, new int[] {0, 3, 4, 5}, 1, 2, 6, 7, 8);
    // Shared: admitted, window. Own: owner.
    private static final Kind RELEASES = new Kind(Script.QUORUM_RELEASE_BATCH, new int[] {0, 2}, 1);
    private static final int OWNER = 1;
    /** The server does nothing else meanwhile: as a rule for half a millisecond. */
    private static final int MOST = 64;
    /** Begins the answer to a request that failed by itself; the text of the error comes behind. */
    private static final long FAILED = -4;

    private final Script script;
    private final List<Item> items;
    private final String[] keys;
    private final String[] arguments;

    /** Of each: lock, queue, fence and admission record. Of all: the admission record, locks, fences, queues. */
    private RequestBatch(Kind kind, List<? extends Item> together) {
        script = kind.script;
        items = List.copyOf(together);
        int count = items.size();
        Item first = items.get(0);
        keys = new String[1 + 3 * count];
        keys[0] = first.keys()[3];
        List<String> all = new ArrayList<>(kind.shared.length + kind.own.length * count);
        for (int at : kind.shared) {
            all.add(first.arguments()[at]);
        }
        for (int i = 0; i < count; i++) {
            Item item = items.get(i);
            keys[1 + i] = item.keys()[0];
            keys[1 + count + i] = item.keys()[2];
            keys[1 + 2 * count + i] = item.keys()[1];
            for (int at : kind.own) {
                all.add(item.arguments()[at]);
            }
        }
        arguments = all.toArray(String[]::new);
    }

    /** Whether there are batches of such requests. */
    public static boolean takes(Script script) {
        return script == Script.QUORUM_ACQUIRE || script == Script.QUORUM_RELEASE;
    }

    // ---- putting together

    /**
     * Requests in the order in which they came. They are sent as few: releases first, because a claim may be for the same
     * lock, but never before the claim whose vote they take back. Else that vote would stay.
     */
    public static <I extends Item> void send(List<I> requests, Sender<I> sender) {
        if (requests.size() == 1) {
            requests.forEach(sender::sendAlone);
            return;
        }
        List<I> releases = new ArrayList<>();
        List<I> claims = new ArrayList<>();
        Set<String> claimants = new HashSet<>();
        for (I request : requests) {
            if (request.isDone()) {
                continue;
            }
            String owner = request.arguments()[OWNER];
            if (request.script() == Script.QUORUM_ACQUIRE) {
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

    private static <I extends Item> void send(Kind kind, List<I> requests, Sender<I> sender) {
        int from = 0;
        while (from < requests.size()) {
            I first = requests.get(from);
            int to = from + 1;
            while (to < requests.size() && to - from < MOST && kind.isLike(first, requests.get(to))) {
                to++;
            }
            if (to - from == 1) {
                sender.sendAlone(first);
            } else {
                sender.sendBatch(new RequestBatch(kind, requests.subList(from, to)));
            }
            from = to;
        }
        requests.clear();
    }

    public Script script() {
        return script;
    }

    public String[] keys() {
        return keys;
    }

    public String[] arguments() {
        return arguments;
    }

    /** A caller that has given up has undone what this batch would do. Then it must not be sent a second time. */
    public boolean hasEveryoneWaited() {
        return items.stream().noneMatch(Item::isDone);
    }

    // ---- taking apart

    public void distribute(List<Object> reply) {
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            Object answer = isRefusal(reply) ? reply : reply.get(i);
            separately(item, () -> answer(item, answer));
        }
    }

    public void fail(Throwable failure) {
        items.forEach(item -> separately(item, () -> item.fail(failure)));
    }

    /** What goes wrong with one request must not affect the others. */
    private static void separately(Item item, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            item.fail(e);
        }
    }

    /** Of the node, to all of them. */
    private static boolean isRefusal(List<Object> reply) {
        return reply.get(0) instanceof Long code && code < 0;
    }

    private static void answer(Item item, Object answer) {
        if (!(answer instanceof List<?> list)) {
            item.answer(List.of(answer));
        } else if (list.get(0).equals(FAILED)) {
            item.failedAlone(String.valueOf(list.get(1)));
        } else {
            item.answer(List.copyOf(list));
        }
    }
}

package dev.holdfast.redis.quorum;

import dev.holdfast.Holder;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Wire;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the scripts of a quorum answer, a record for each. The comment at the head of each script says the same in Lua. A reply of
 * more than one field begins with a code and the node's time, which {@link Member} reads.
 */
final class QuorumReplies {
    /** Codes with which a reply begins. */
    static final int OTHER_LIST = -5;

    static final int UNADMITTED = -3;
    static final int TOO_LONG = -2;
    static final int LATE = -1;
    static final int BUSY = 0;
    static final int DONE = 1;

    /** What is left of a key that is not there. */
    private static final long NO_KEY = -2;

    private QuorumReplies() {}

    static int code(List<Object> reply) {
        return (int) Replies.number(reply, 0);
    }

    /** Of the node's clock; only where there is more than one field. */
    static long nowMicros(List<Object> reply) {
        return Replies.number(reply, 1);
    }

    /** The record of a node that has just said that it does not vote. */
    static String refusedWith(List<Object> reply) {
        return Replies.text(reply, 2);
    }

    /** {@code acquire.lua}, where the node has a say. */
    sealed interface Vote {
        /** It votes for us, for a block of tokens that ends with this value. */
        record Granted(long value) implements Vote {}

        /**
         * Somebody else has its vote, or its reservation.
         *
         * @param place where the claim was queued, from 1; zero if it was not
         * @param token zero for a reservation, which is nobody's vote
         * @param counter of the bucket
         */
        record Taken(
                long remainingMillis,
                long place,
                String owner,
                long token,
                long counter,
                @Nullable Holder holder) implements Vote {}

        static Vote of(List<Object> reply) {
            if (code(reply) == DONE) {
                return new Granted(Replies.number(reply, 2));
            }
            return new Taken(
                    Replies.number(reply, 2),
                    Replies.number(reply, 3),
                    Replies.text(reply, 4),
                    Replies.number(reply, 5),
                    Replies.number(reply, 6),
                    Wire.parseHolder(Replies.text(reply, 7)));
        }
    }

    /**
     * Slots of a semaphore that were reserved for those who wait: at the end of {@code suggest.lua} and {@code
     * withdraw_slots.lua}.
     *
     * @param millis the longest of the reservations; zero if there are none
     */
    record Served(long millis, List<Integer> slots) {
        static Served of(List<Object> reply, int at) {
            return new Served(
                    Replies.number(reply, at),
                    ((List<?>) reply.get(at + 1))
                            .stream().map(slot -> ((Long) slot).intValue()).toList());
        }
    }

    /** {@code suggest.lua}, where the node has a say. */
    sealed interface Suggestion {
        Served served();

        /** It is free there, and kept for us for a claim window. */
        record Slot(int number, Served served) implements Suggestion {}

        /**
         * All slots are taken there.
         *
         * @param remainingMillis until the first of them ends
         * @param place where the claim was queued, from 1; zero if it was not
         */
        record AllTaken(
                long remainingMillis, long place, @Nullable Holder holder, Served served) implements Suggestion {}

        static Suggestion of(List<Object> reply) {
            if (code(reply) == DONE) {
                return new Slot((int) Replies.number(reply, 2), Served.of(reply, 3));
            }
            return new AllTaken(
                    Replies.number(reply, 2),
                    Replies.number(reply, 3),
                    Wire.parseHolder(Replies.text(reply, 4)),
                    Served.of(reply, 5));
        }
    }

    /** {@code raise.lua}: whether the vote stands for the token now. */
    static boolean stands(List<Object> reply) {
        return code(reply) == DONE;
    }

    /**
     * {@code undo.lua}.
     *
     * @param place where the claim stands in line; zero if it does not
     * @param reservedMillis for how long the node is reserved for the next in line; zero if it is not
     */
    record Undone(long place, long reservedMillis) {
        static Undone of(List<Object> reply) {
            return new Undone(Replies.number(reply, 2), Replies.number(reply, 3));
        }
    }

    /** {@code release.lua}, {@code withdraw.lua}, {@code handover.lua}: as {@link Undone}. */
    record Ended(boolean wasOurs, long reservedMillis) {
        static Ended of(List<Object> reply) {
            return new Ended(code(reply) == DONE, Replies.number(reply, 2));
        }
    }

    /**
     * {@code release_later.lua}.
     *
     * @param isWaitedFor whether somebody stands in line there, who was told of another end
     */
    record Kept(boolean wasOurs, boolean isWaitedFor) {
        static Kept of(List<Object> reply) {
            return new Kept(code(reply) == DONE, Replies.number(reply, 2) > 0);
        }
    }

    /** What stands under a lock's key: {@code describe.lua}, and {@code break.lua} for what it ended. */
    record Stored(@Nullable String value, long remainingMillis) {
        static List<Stored> described(List<Object> reply) {
            List<Stored> all = new ArrayList<>(reply.size() - 2);
            for (Object each : reply.subList(2, reply.size())) {
                List<?> fields = (List<?>) each;
                Object value = fields.get(0);
                all.add(new Stored(value == null ? null : value.toString(), (Long) fields.get(1)));
            }
            return all;
        }

        /** With no value there may be a key of another type. */
        boolean isPresent() {
            return remainingMillis != NO_KEY;
        }
    }

    /** {@code break.lua}. */
    record Broken(Stored broken, long reservedMillis) {
        static Broken of(List<Object> reply) {
            Object value = reply.get(3);
            long remaining = Math.max(0, Replies.number(reply, 4));
            return new Broken(new Stored(value == null ? null : value.toString(), remaining), Replies.number(reply, 2));
        }
    }

    /** {@code renew.lua}: what became of each vote. A lease longer than the node may grant is neither. */
    enum Renewed {
        EXTENDED,
        NOT_OURS,
        NEITHER;

        static Renewed of(List<Object> reply, int item) {
            long code = Replies.number(reply, 2 + item);
            return code == DONE ? EXTENDED : code == BUSY ? NOT_OURS : NEITHER;
        }
    }

    /**
     * {@code look.lua} about the node itself.
     *
     * @param record of its admission; empty if it has none
     */
    record Sight(boolean votes, String record) {
        static Sight of(List<Object> reply) {
            boolean votes = code(reply) == DONE;
            return new Sight(votes, Replies.text(reply, votes ? 3 : 2));
        }
    }

    /**
     * {@code look.lua} about locks and the claims that wait for them.
     *
     * @param locks of each the beginning of its value, {@code owner round token}; empty if it is absent
     * @param inLine of each entry whether it stands in line
     */
    record Looked(List<String> locks, List<Boolean> inLine) {
        private static final int FIRST = 4;

        static Looked of(List<Object> reply, int locks) {
            List<String> values = new ArrayList<>(locks);
            List<Boolean> inLine = new ArrayList<>();
            for (int i = FIRST; i < reply.size(); i++) {
                if (i < FIRST + locks) {
                    values.add(Replies.text(reply, i));
                } else {
                    inLine.add(Replies.number(reply, i) > 0);
                }
            }
            return new Looked(values, inLine);
        }
    }

    /** {@code observe.lua}. */
    sealed interface Observed {
        record Votes() implements Observed {}

        /**
         * It is being watched.
         *
         * @param nonce names the state in which it is
         * @param observedMillis for how long it has certainly been in that state
         */
        record Pending(String nonce, long observedMillis, long maxLeaseMillis) implements Observed {}

        /** It is bound to another list of servers, and was left alone. */
        record BoundElsewhere() implements Observed {}

        static Observed of(List<Object> reply) {
            return switch (code(reply)) {
                case DONE -> new Votes();
                case UNADMITTED ->
                    new Pending(Replies.text(reply, 2), Replies.number(reply, 3), Replies.number(reply, 4));
                default -> new BoundElsewhere();
            };
        }
    }

    /**
     * {@code ledger.lua}.
     *
     * @param counters by bucket, as they stand there
     */
    record Ledger(boolean admitted, long nowMicros, String record, List<? extends @Nullable Object> counters) {
        static Ledger of(List<Object> reply) {
            return new Ledger(code(reply) == DONE, QuorumReplies.nowMicros(reply), Replies.text(reply, 2), (List<?>)
                    reply.get(3));
        }
    }

    /** {@code admit.lua}: whether the node votes now. */
    static boolean isAdmitted(List<Object> reply) {
        return code(reply) == DONE;
    }

    /** {@code reserve.lua}: for how long another caller has this node; zero if none has. */
    static long reservedElsewhereMillis(List<Object> reply) {
        return Replies.number(reply, 2);
    }

    /**
     * {@code initialise.lua}, {@code replace.lua} and the record in {@code ledger.lua}.
     *
     * @param found what stood in the way, or stands there now; empty if the node does not say
     */
    record Step(boolean done, String found) {
        static Step of(List<Object> reply) {
            return new Step(code(reply) == DONE, reply.size() > 2 ? Replies.text(reply, 2) : "");
        }
    }
}

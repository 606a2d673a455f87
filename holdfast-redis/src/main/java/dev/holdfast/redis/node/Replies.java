package dev.holdfast.redis.node;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the scripts of one server answer, a record for each. The comment at the head of each script says the same in Lua. Those
 * of a quorum are in {@code QuorumReplies}.
 */
public final class Replies {
    private static final int GRANTED = 1;
    private static final int BUSY = 0;
    /** What is left of a key that is not there. */
    private static final long NO_KEY = -2;

    private Replies() {}

    /** {@code acquire.lua} and {@code reclaim.lua}. Every answer brings the server's time in microseconds. */
    public sealed interface Claimed {
        long nowMicros();

        /**
         * The lock is ours.
         *
         * @param tokens how many tokens the block has; zero means as many as were asked for
         * @param kept whether the claim stood in the queue, or held the lock, before
         * @param slot of a semaphore
         * @param handedOver what this request has given to others
         */
        record Granted(long nowMicros, long lastToken, int tokens, boolean kept, int slot, HandedOn handedOver)
                implements Claimed {}

        /**
         * Somebody else has it.
         *
         * @param place in the queue, from 1; zero if the claim was not queued
         * @param kept whether it stood there before
         * @param handedOver what this request has given to others
         */
        record Busy(
                long nowMicros,
                long remainingMillis,
                long place,
                boolean kept,
                HandedOn handedOver,
                @Nullable Holder holder)
                implements Claimed {}

        /** Carried out later than the client waits, and therefore refused. */
        record Late(long nowMicros, long handedOverMillis) implements Claimed {}

        static Claimed of(List<Object> reply) {
            long now = number(reply, 1);
            return switch ((int) number(reply, 0)) {
                case GRANTED ->
                    new Granted(
                            now,
                            number(reply, 2),
                            (int) number(reply, 3),
                            number(reply, 4) == 1,
                            (int) number(reply, 5),
                            HandedOn.of(number(reply, 6), reply, 7));
                case BUSY ->
                    new Busy(
                            now,
                            number(reply, 2),
                            number(reply, 3),
                            number(reply, 4) == 1,
                            HandedOn.of(number(reply, 5), reply, 7),
                            Wire.parseHolder(text(reply, 6)));
                default -> new Late(now, number(reply, 2));
            };
        }
    }

    /**
     * What a request that was somebody else's has given to those who waited.
     *
     * @param millis the claim window, the longest if there are several; zero if nothing was given
     * @param slots of a semaphore
     */
    public record HandedOn(long millis, List<Integer> slots) {
        private static final HandedOn NOTHING = new HandedOn(0, List.of());

        private static HandedOn of(long millis, List<Object> reply, int from) {
            if (millis == 0) {
                return NOTHING;
            }
            List<Integer> slots = new ArrayList<>();
            for (int i = from; i < reply.size(); i++) {
                slots.add((int) number(reply, i));
            }
            return new HandedOn(millis, slots);
        }
    }

    /** Whether the answer to a claim is a grant. */
    public static boolean isGrant(List<Object> reply) {
        return number(reply, 0) == GRANTED;
    }

    /**
     * {@code release.lua} and {@code withdraw.lua}.
     *
     * @param wasOurs whether there was a tenure to end
     * @param handedOverMillis the claim window of the next holder; zero if there is none
     * @param slot which slot was withdrawn from, of a semaphore
     */
    public record Ended(boolean wasOurs, long handedOverMillis, int slot) {
        public static Ended of(List<Object> reply) {
            return new Ended(number(reply, 0) == 1, number(reply, 1), (int) number(reply, 2));
        }
    }

    /**
     * {@code release_later.lua}.
     *
     * @param wasOurs whether there was a tenure to end
     * @param isWaitedFor whether somebody stands in the queue, who was told of another end
     */
    public record Kept(boolean wasOurs, boolean isWaitedFor) {
        public static Kept of(List<Object> reply) {
            return new Kept(number(reply, 0) == 1, number(reply, 1) > 0);
        }
    }

    /**
     * {@code handover.lua}.
     *
     * @param lookAgainMillis when to look again whether the lock was claimed; zero for never
     */
    public record HandedOver(long lookAgainMillis) {
        public static HandedOver of(List<Object> reply) {
            return new HandedOver(number(reply, 1));
        }
    }

    /** {@code renew.lua}, of the tenure at this place. */
    public static boolean isRenewed(List<Object> reply, int index) {
        return number(reply, index) == 1;
    }

    /**
     * {@code look.lua}.
     *
     * @param receivers how many heard what was published to our inbox
     * @param askAgain the claims that had better ask again, by their place among those that were looked at
     */
    public record Looked(long receivers, List<Integer> askAgain) {
        public static Looked of(List<Object> reply) {
            List<Integer> askAgain = new ArrayList<>(reply.size() - 1);
            for (int i = 1; i < reply.size(); i++) {
                askAgain.add((int) number(reply, i) - 1);
            }
            return new Looked(number(reply, 0), askAgain);
        }
    }

    /**
     * What stands under the keys of one name: {@code describe.lua}.
     *
     * @param value null if there is none, or if it is not text
     * @param remainingMillis negative if it does not expire, or if there is no such key
     * @param queue its entries
     * @param isPresent whether there is anything under the lock's key
     * @param isQueueForeign whether there is something else where the queue should be
     */
    public record Entry(
            @Nullable String value, long remainingMillis, List<?> queue, boolean isPresent, boolean isQueueForeign) {
        public static Entry of(List<Object> reply, int index) {
            List<?> fields = (List<?>) reply.get(index);
            long remaining = (Long) fields.get(1);
            return new Entry(
                    valueOrNull(fields.get(0)),
                    remaining,
                    (List<?>) fields.get(2),
                    remaining != NO_KEY,
                    fields.size() > 3);
        }

        /** Whether Holdfast did not write what stands there. We never write a lock without an expiry. */
        public boolean isForeign(String name) {
            return isPresent && (remainingMillis < 0 || state(name).isEmpty());
        }

        /** Who holds it; empty if nobody does, or if it is not ours. */
        public Optional<LockState> state(String name) {
            return state(new Keys.Held(name, 0));
        }

        Optional<LockState> state(Keys.Held held) {
            return value == null ? Optional.empty() : Wire.parseState(held, value, remainingMillis, queue);
        }
    }

    /**
     * {@code break.lua}.
     *
     * @param broken what was ended; it has no value if that owner had nothing
     */
    public record Broken(Entry broken, long handedOverMillis) {
        /** What was ended, of this key. */
        public Optional<LockState> state(String key, int slot) {
            return broken.state(new Keys.Held(key, slot));
        }

        public static Broken of(List<Object> reply) {
            String value = valueOrNull(reply.get(0));
            Entry entry = new Entry(value, number(reply, 1), (List<?>) reply.get(2), value != null, false);
            return new Broken(entry, number(reply, 3));
        }
    }

    /** {@code scan.lua}: the cursor is "0" behind the last page. */
    public record Page(String nextCursor, List<String> keys) {
        public static Page of(List<Object> reply) {
            return new Page(
                    text(reply, 0),
                    ((List<?>) reply.get(1)).stream().map(String::valueOf).toList());
        }

        public boolean isLast() {
            return nextCursor.equals("0");
        }
    }

    /** The answer to {@code TIME}, in microseconds. */
    public static long timeMicros(List<Object> reply) {
        return Long.parseLong(text(reply, 0)) * 1_000_000 + Long.parseLong(text(reply, 1));
    }

    // ---- fields

    /** What a reply leaves out at its end is zero. */
    public static long number(List<Object> reply, int index) {
        return index < reply.size() ? (Long) reply.get(index) : 0;
    }

    public static String text(List<Object> reply, int index) {
        return String.valueOf(reply.get(index));
    }

    private static @Nullable String valueOrNull(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}

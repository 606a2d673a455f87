package dev.holdfast;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What may happen in a search.
 *
 * @param depth how many events, before everything on its way arrives and everybody lets go
 * @param waiters how many may ask in all
 * @param nests how many events may happen inside a call, where another thread could come in between
 */
record SearchScenario(LockKind kind, SearchStore.Waking waking, int depth, int waiters, int nests, Set<Part> parts) {
    /** Kinds of events beside joining, being answered and releasing. */
    enum Part {
        /** Waiters that will not wait, wait for a while, or want a fixed or a bounded lease. */
        MIXED_WAITERS,
        CANCEL,
        /** Alarms ring. */
        TIME,
        /** The process stands still, and alarms ring late. */
        PAUSE,
        /** A request is carried out long before its answer arrives. */
        LATE_ANSWERS,
        /** A request fails: not sent, or with its outcome unknown, and then it may still be carried out. */
        FAILURES,
        /** A pushed grant or hint arrives twice, or never. */
        PUSH_FAULTS,
        /** A hint without a reason, contact broken and found again. */
        HINTS,
        /** Another process. */
        RIVAL,
        /** The lock is broken or forgotten. */
        TAKE_AWAY
    }

    /** Of two seeds one is a lock's. */
    private static final List<LockKind> KINDS =
            List.of(LockKind.LOCK, LockKind.SEMAPHORE, LockKind.LOCK, LockKind.READ_WRITE_LOCK);

    /** Every seed leaves out other parts: where everything can happen at once, each thing seldom gets far. */
    static SearchScenario walk(long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        EnumSet<Part> parts = EnumSet.allOf(Part.class);
        parts.removeIf(part -> random.nextBoolean());
        SearchStore.Waking[] wakings = SearchStore.Waking.values();
        LockKind kind = KINDS.get((int) Math.floorMod(seed, (long) KINDS.size()));
        return new SearchScenario(kind, wakings[random.nextInt(wakings.length)], 40, 6, 4, parts);
    }

    static SearchScenario of(
            LockKind kind, SearchStore.Waking waking, int depth, int waiters, int nests, Part first, Part... rest) {
        return new SearchScenario(kind, waking, depth, waiters, nests, EnumSet.of(first, rest));
    }

    boolean has(Part part) {
        return parts.contains(part);
    }
}

package dev.holdfast.simulation;

import dev.holdfast.LockKind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What a world is made of, drawn from its seed. Every seed leaves out other faults: where everything happens at once, each
 * thing seldom gets far.
 *
 * @param clocksWithin assumption: no two clocks drift apart by more than one percent, and none is set
 * @param keepsWrites assumption: a server never forgets what it acknowledged
 * @param faults which may happen
 * @param faultCount how many, at least, before the world becomes quiet
 * @param quota how many acquisitions, at least
 * @param servers one, or a quorum of several
 * @param hot whether everybody wants one name at once, and nobody has it for long
 * @param guarded whether writes at the resource are checked by token
 */
record Plan(
        long seed,
        boolean clocksWithin,
        boolean keepsWrites,
        Set<Fault> faults,
        int faultCount,
        int quota,
        int servers,
        int processes,
        int workers,
        int names,
        int cohort,
        Duration lease,
        Duration window,
        Duration timeout,
        long latencyNanos,
        long gapNanos,
        long thinkNanos,
        boolean hot,
        boolean guarded) {
    private static final long[] LEASES_MILLIS = {300, 1_000, 3_000, 10_000, 30_000};

    /** Every tenth seed is a quorum: its worlds cost some times as much. */
    static final int QUORUM_EVERY = 10;

    /** Every so many quorums nothing goes wrong, and the name is hot. */
    private static final int HOT_EVERY = 4 * QUORUM_EVERY;

    /** Those of one server whose seeds end so have pushes that get lost, and data. */
    private static final int FORGETFUL = 5;

    private static final int HOT_QUOTA = 300;

    /**
     * How long a request of a quorum waits to be written together with others: some of the way to a server. Every second quorum
     * writes each of them at once.
     */
    long turnNanos() {
        boolean together =
                isQuorum() && seed / QUORUM_EVERY % 2 == 1 && !Boolean.getBoolean("holdfast.simulation.unbatched");
        return together ? latencyNanos / 2 : 0;
    }

    static Plan of(long seed, boolean guarded) {
        Plan plan = ofOneServer(seed, guarded);
        if (seed % HOT_EVERY == 0) {
            return plan.asHotQuorum();
        }
        if (seed % QUORUM_EVERY == 0) {
            return plan.asQuorum();
        }
        return seed % QUORUM_EVERY == FORGETFUL ? plan.with(plan.withRareFaults(new SplittableRandom(~seed))) : plan;
    }

    /** With those that leave waiters alone: where nothing goes wrong, nothing is added. */
    private Set<Fault> withRareFaults(SplittableRandom random) {
        EnumSet<Fault> more = EnumSet.noneOf(Fault.class);
        more.addAll(faults);
        if (!isCalm()) {
            more.addAll(EnumSet.range(Fault.MAJORITY_PAUSE, Fault.SILENT_INBOX));
            more.removeIf(fault -> random.nextInt(3) == 0 || (keepsWrites && fault == Fault.FLUSH));
        }
        return more;
    }

    private Plan with(Set<Fault> those) {
        return new Plan(
                seed,
                clocksWithin,
                keepsWrites,
                those,
                faultCount,
                quota,
                servers,
                processes,
                workers,
                names,
                cohort,
                lease,
                window,
                timeout,
                latencyNanos,
                gapNanos,
                thinkNanos,
                hot,
                guarded);
    }

    private Plan asHotQuorum() {
        SplittableRandom random = new SplittableRandom(~seed);
        return new Plan(
                seed,
                true,
                true,
                Set.of(),
                0,
                HOT_QUOTA,
                random.nextInt(4) == 0 ? 5 : 3,
                random.nextInt(2, 6),
                random.nextInt(1, 4),
                1,
                1 << random.nextInt(0, 3),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofMillis(100),
                latencyNanos,
                gapNanos,
                (long) (latencyNanos * Math.pow(10, 2 * random.nextDouble())),
                true,
                guarded);
    }

    /** A request to one of several servers must be given up long before the lease is over. */
    private Plan asQuorum() {
        SplittableRandom random = new SplittableRandom(~seed);
        Set<Fault> more = withRareFaults(random);
        long millis = Math.max(lease.toMillis(), 1_000);
        return new Plan(
                seed,
                clocksWithin,
                keepsWrites,
                more,
                faultCount,
                quota / 2,
                random.nextInt(4) == 0 ? 5 : 3,
                processes,
                workers,
                names,
                cohort,
                Duration.ofMillis(millis),
                // While it waits, a process pings once per window.
                Duration.ofMillis(Math.max(window.toMillis(), Math.min(2_000, millis / 8))),
                Duration.ofMillis(Math.max(30, Math.min(200, millis / (10 + random.nextInt(20))))),
                latencyNanos,
                gapNanos,
                thinkNanos,
                false,
                guarded);
    }

    private static Plan ofOneServer(long seed, boolean guarded) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 1);
        boolean calm = random.nextInt(20) == 0;
        boolean clocksWithin = random.nextInt(4) > 0;
        boolean keepsWrites = random.nextInt(4) > 0;
        EnumSet<Fault> faults = EnumSet.range(Fault.PAUSE, Fault.CLOCK_JUMP);
        faults.removeIf(fault -> calm
                || random.nextInt(5) < 2
                || (keepsWrites && fault.losesWrites())
                || (clocksWithin && fault == Fault.CLOCK_JUMP));
        if (!calm && !keepsWrites) {
            faults.add(Fault.SERVER_AMNESIA);
        }
        if (!calm && faults.isEmpty()) {
            faults.add(Fault.PAUSE);
        }
        long lease = LEASES_MILLIS[random.nextInt(LEASES_MILLIS.length)];
        long think = (long) (lease * 1_000_000 * Math.pow(10, -3 + 2.5 * random.nextDouble()));
        return new Plan(
                seed,
                clocksWithin,
                keepsWrites,
                faults,
                calm ? 0 : random.nextInt(4, 9),
                random.nextInt(46, 57),
                1,
                random.nextInt(2, 5),
                random.nextInt(1, 4),
                random.nextInt(1, 3),
                1 << random.nextInt(0, 5),
                Duration.ofMillis(lease),
                Duration.ofMillis(calm ? 2_000 : Math.min(2_000, 50 * (1L << random.nextInt(0, 7)))),
                Duration.ofMillis(Math.min(2_000, 100 * (1L << random.nextInt(0, 6)))),
                (long) (50_000 * Math.pow(10, 1.7 * random.nextDouble())),
                (long) (lease * 1_000_000 * (0.2 + 1.8 * random.nextDouble())),
                think,
                false,
                guarded);
    }

    boolean isQuorum() {
        return servers > 1;
    }

    /** The longest that a quorum accepts: a server that restarted does not vote for so long. */
    Duration maxLease() {
        return lease.multipliedBy(2);
    }

    /** Whether locks are kept after their release, now and then. A rule of its own, so that other seeds mean what they meant. */
    boolean keepsLocks() {
        long kind = isQuorum() ? seed / QUORUM_EVERY % 4 : seed % QUORUM_EVERY;
        return !isCalm() && kind == 3 && kind() == LockKind.LOCK;
    }

    /**
     * What is locked. A rule of its own, too: seeds that end in 6 are of semaphores, those that end in 7 of read-write locks, and one
     * quorum in four is of semaphores.
     */
    LockKind kind() {
        if (isQuorum()) {
            return !hot && seed / QUORUM_EVERY % 4 == 1 ? LockKind.SEMAPHORE : LockKind.LOCK;
        }
        long last = seed % QUORUM_EVERY;
        return last == 6 ? LockKind.SEMAPHORE : last == 7 ? LockKind.READ_WRITE_LOCK : LockKind.LOCK;
    }

    /** Of a semaphore. */
    int permits() {
        return 1 + (int) (seed / QUORUM_EVERY % 3);
    }

    boolean isCalm() {
        return faults.isEmpty();
    }

    /** Nothing is carried out twice, forgotten, or at a time that nobody can tell. */
    boolean isExact() {
        return clocksWithin && keepsWrites && !faults.contains(Fault.DUPLICATE);
    }

    String assumptions() {
        return "clocks " + (clocksWithin ? "within the drift" : "as they like") + "; writes "
                + (keepsWrites ? "kept" : "lost at times") + "; resource " + (guarded ? "guarded" : "not guarded");
    }

    @Override
    public String toString() {
        return servers + (isQuorum() ? " servers, " : " server, ") + processes + " processes with " + workers
                + " workers, " + names + " names" + (kind() == LockKind.LOCK ? "" : " (" + kind() + ")") + ", lease "
                + lease.toMillis()
                + " ms, K = " + cohort + ", window " + window.toMillis() + " ms, timeout " + timeout.toMillis()
                + " ms; assuming: " + assumptions() + "; faults: " + faults;
    }
}

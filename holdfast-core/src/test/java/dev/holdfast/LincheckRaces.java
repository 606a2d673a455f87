package dev.holdfast;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * Two threads at one engine, interleaved by Lincheck's model checker wherever that can matter. What must hold at the end is
 * checked by the race itself. Answers with a text that begins with "clean" or "found".
 */
abstract class LincheckRaces implements Supplier<String> {
    private static final int INTERLEAVINGS = SearchRun.LONG ? 3_000 : 200;
    private static final Terms TERMS = new Terms(Duration.ofSeconds(30), SearchWorld.HOLDER);
    private static final Settings SETTINGS =
            new Settings(2, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ZERO);
    // Has said its line before the search begins: interleavings of a logger are of no interest.
    private static final RateLimitedLog LOG = new RateLimitedLog(new LincheckStore());

    static {
        LOG.warn("lost", "Leases will be lost in this search");
        LOG.info("election 'n'", "Leaders will be elected in this search");
    }

    @Override
    public String get() {
        try {
            new ModelCheckingOptions()
                    .iterations(1)
                    .threads(2)
                    .actorsPerThread(1)
                    .actorsBefore(0)
                    .actorsAfter(0)
                    .invocationsPerIteration(INTERLEAVINGS)
                    .minimizeFailedScenario(false)
                    // A decision is made under the lock of its name; what comes after it is what can be interleaved.
                    .addGuarantee(forClasses("java.util.concurrent.ConcurrentHashMap")
                            .allMethods()
                            .treatAsAtomic())
                    .check(getClass());
            return "clean in up to " + INTERLEAVINGS + " interleavings";
        } catch (AssertionError e) {
            return "found: " + e;
        }
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** An engine with a store of one name. */
    static final class World {
        final LincheckStore store = new LincheckStore();
        final Engine engine;

        World() {
            UserCode userCode = new UserCode(Runnable::run, new SpareThread(store, new Daemons("spare")), LOG);
            engine = new Engine(store, store, SETTINGS, new Reports(null, userCode, LOG, store), userCode);
            store.open(store, engine);
        }

        Told newWaiter() {
            return new Told(engine);
        }

        Told join() {
            Told waiter = newWaiter();
            engine.join(waiter);
            return waiter;
        }

        void requireNothingLeft() {
            require(engine.size() == 0, "a name is kept that nobody holds or waits for");
            require(SearchInsides.alarms(engine.timers) == 0, "an alarm is set for nobody");
            require(store.isForgotten(), "the store keeps something for nobody");
        }
    }

    static final class Told extends Waiter {
        final AtomicInteger deliveries = new AtomicInteger();
        volatile @Nullable TenureLease lease;

        Told(Engine engine) {
            super(engine, "n", TERMS, NEVER, null);
        }

        @Override
        void deliver(TenureLease delivered) {
            deliveries.incrementAndGet();
            lease = delivered;
        }

        @Override
        void deliver(Refusal refusal) {
            deliveries.incrementAndGet();
        }

        /** Settled once; lets go of what it got. */
        void finish(LincheckStore store) {
            require(deliveries.get() == 1, "settled " + deliveries.get() + " times");
            TenureLease got = lease;
            if (got != null) {
                require(
                        got.ended != TenureLease.OPEN || store.isHeldBy(got.tenure.owner),
                        "an open lease that the store does not know of");
                var unused = got.releaseAsync();
            }
        }
    }

    // ---- the races

    public static final class GrantAgainstCancel extends LincheckRaces {
        private final World world = new World();
        private final Told waiter = world.newWaiter();

        @Operation(runOnce = true)
        public void one() {
            world.engine.join(waiter);
        }

        @Operation(runOnce = true)
        public void other() {
            world.engine.leave(waiter, Refusal.Kind.CLOSED);
        }

        @Validate
        public void end() {
            waiter.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class PushAgainstAnswer extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final Told waiter = world.newWaiter();

        @Operation(runOnce = true)
        public void one() {
            world.engine.join(waiter);
        }

        @Operation(runOnce = true)
        public void other() {
            world.store.takeBack(rival);
        }

        @Validate
        public void end() {
            require(waiter.lease != null, "a lost wake-up");
            waiter.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class PushAgainstCancel extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final Told waiter = world.join();

        @Operation(runOnce = true)
        public void one() {
            world.engine.leave(waiter, Refusal.Kind.CLOSED);
        }

        @Operation(runOnce = true)
        public void other() {
            world.store.takeBack(rival);
        }

        @Validate
        public void end() {
            waiter.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class LastOfSeveralAgainstCancel extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final CompletableFuture<MultiLease> future =
                new MultiFuture(new MultiAttempt(world.engine, List.of("n"), TERMS, Alarm.NEVER)).acquire();

        @Operation(runOnce = true)
        public void one() {
            future.cancel(false);
        }

        @Operation(runOnce = true)
        public void other() {
            world.store.takeBack(rival);
        }

        @Validate
        public void end() {
            if (!future.isCompletedExceptionally()) {
                var unused = future.join().releaseAsync();
            }
            world.requireNothingLeft();
        }
    }

    public static final class VictoryAgainstClose extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final ElectionState election = new ElectionState(
                world.engine, "n", TERMS, Duration.ofSeconds(5), (lease, ended) -> new ObedientTask(ended));

        public VictoryAgainstClose() {
            election.begin();
        }

        @Operation(runOnce = true)
        public void one() {
            election.close();
        }

        @Operation(runOnce = true)
        public void other() {
            world.store.takeBack(rival);
        }

        @Validate
        public void end() {
            require(election.over().isDone(), "a closed candidacy goes on");
            world.requireNothingLeft();
        }
    }

    public static final class CandidacyAgainstClose extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final ElectionState election = new ElectionState(
                world.engine, "n", TERMS, Duration.ofSeconds(5), (lease, ended) -> new ObedientTask(ended));

        @Operation(runOnce = true)
        public void one() {
            election.begin();
        }

        @Operation(runOnce = true)
        public void other() {
            election.close();
        }

        @Validate
        public void end() {
            require(election.over().isDone(), "a closed candidacy waits for the lock");
            world.store.takeBack(rival);
            world.requireNothingLeft();
        }
    }

    /** Ends when it is told to. */
    private static final class ObedientTask implements LeaderTask {
        private final Consumer<@Nullable Throwable> ended;
        private final AtomicInteger events = new AtomicInteger();

        ObedientTask(Consumer<@Nullable Throwable> ended) {
            this.ended = ended;
        }

        @Override
        public void start() {
            startedOrTold();
        }

        @Override
        public void stop() {
            startedOrTold();
        }

        private void startedOrTold() {
            if (events.incrementAndGet() == 2) {
                ended.accept(null);
            }
        }

        @Override
        public boolean isOnItsThread() {
            return false;
        }

        @Override
        public String whereabouts() {
            return "a race";
        }
    }

    public static final class ReleaseAgainstJoin extends LincheckRaces {
        private final World world = new World();
        private final Told first = world.join();
        private final Told second = world.newWaiter();

        @Operation(runOnce = true)
        public void one() {
            first.finish(world.store);
        }

        @Operation(runOnce = true)
        public void other() {
            world.engine.join(second);
        }

        @Validate
        public void end() {
            require(second.lease != null, "a lost wake-up");
            second.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class ReleaseAgainstCancel extends LincheckRaces {
        private final World world = new World();
        private final Told first = world.join();
        private final Told second = world.join();
        private final Told third = world.join();

        @Operation(runOnce = true)
        public void one() {
            first.finish(world.store);
        }

        @Operation(runOnce = true)
        public void other() {
            world.engine.leave(second, Refusal.Kind.CLOSED);
        }

        @Validate
        public void end() {
            second.finish(world.store);
            require(third.lease != null, "a lost wake-up");
            third.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class ReleaseTwice extends LincheckRaces {
        private final World world = new World();
        private final Told first = world.join();
        private final Told second = world.join();

        @Operation(runOnce = true)
        public void one() {
            first.finish(world.store);
        }

        @Operation(runOnce = true)
        public void other() {
            first.finish(world.store);
        }

        @Validate
        public void end() {
            second.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class CloseAgainstJoin extends LincheckRaces {
        private final World world = new World();
        private final Told waiter = world.newWaiter();
        private volatile boolean joined;

        @Operation(runOnce = true)
        public void one() {
            world.engine.close();
        }

        @Operation(runOnce = true)
        public void other() {
            try {
                world.engine.join(waiter);
                joined = true;
            } catch (HoldfastClosedException expected) {
                require(waiter.lease == null, "refused and granted");
            }
        }

        @Validate
        public void end() {
            require(!joined || waiter.deliveries.get() == 1, "left waiting");
            require(world.engine.size() == 0, "a lease is open that nobody looks after");
        }
    }

    public static final class CloseAgainstWait extends LincheckRaces {
        private final World world = new World();
        private final Owner rival = world.store.rivalTakes();
        private final Told waiter = world.newWaiter();
        private volatile boolean joined;

        @Operation(runOnce = true)
        public void one() {
            world.engine.close();
        }

        @Operation(runOnce = true)
        public void other() {
            try {
                world.engine.join(waiter);
                joined = true;
            } catch (HoldfastClosedException expected) {
                require(waiter.lease == null, "refused and granted");
            }
        }

        @Validate
        public void end() {
            require(!joined || waiter.deliveries.get() == 1, "left waiting");
            world.store.takeBack(rival);
            world.requireNothingLeft();
        }
    }

    public static final class LossAgainstCallback extends LincheckRaces {
        private final World world = new World();
        private final TenureLease lease = world.join().lease;
        private final AtomicInteger told = new AtomicInteger();

        @Operation(runOnce = true)
        public void one() {
            lease.onLost(loss -> told.incrementAndGet());
        }

        @Operation(runOnce = true)
        public void other() {
            world.engine.lost("n", lease.tenure.owner, "searching");
        }

        @Validate
        public void end() {
            require(told.get() == 1, "told of the loss " + told.get() + " times");
        }
    }

    public static final class LossAgainstRelease extends LincheckRaces {
        private final World world = new World();
        private final Told first = world.join();
        private final Told second = world.join();

        @Operation(runOnce = true)
        public void one() {
            first.finish(world.store);
        }

        @Operation(runOnce = true)
        public void other() {
            world.engine.lost("n", first.lease.tenure.owner, "searching");
        }

        @Validate
        public void end() {
            require(first.lease.ended != TenureLease.OPEN, "still open");
            second.finish(world.store);
            world.requireNothingLeft();
        }
    }

    public static final class SetAgainstTakeBack extends LincheckRaces {
        private final Timers timers = new Timers(new LincheckStore(), due -> {});
        private final Alarm alarm = new Alarm() {
            @Override
            void fire() {}
        };

        @Operation(runOnce = true)
        public void one() {
            alarm.fireAtNanos = 5;
            timers.refresh(alarm);
        }

        @Operation(runOnce = true)
        public void other() {
            alarm.fireAtNanos = Alarm.NEVER;
            timers.refresh(alarm);
        }

        @Validate
        public void end() {
            require(alarm.armed == (alarm.fireAtNanos != Alarm.NEVER), "the alarm is not as it was wanted");
        }
    }
}

package dev.holdfast;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.Environment;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Elections under faults: a few candidates of one election, each in a process of its own that can be frozen, cut off from the store and
 * kept waiting for answers; tasks that end soon, late, by themselves or with an exception. One clock, one thread, one seed for each
 * schedule. Answers with a text that begins with "clean" or "found".
 *
 * <p>What must hold: a task starts only after every earlier one was told, except those in processes that are frozen; a task that was not
 * told has at least the margin left; no process runs two tasks; somebody leads in the end; nothing is left.
 */
final class ElectionSchedule implements Supplier<String> {
    private static final int SCHEDULES = SearchRun.LONG ? 50_000 : 500;
    private static final int EVENTS = 120;
    private static final int PROCESSES = 3;
    private static final Duration LEASE = Duration.ofSeconds(12);
    private static final Duration MARGIN = Duration.ofSeconds(2);
    private static final Settings SETTINGS =
            new Settings(4, Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ZERO);

    private int leaderships;
    private int excused;

    @Override
    public String get() {
        for (long seed = 0; seed < SCHEDULES; seed++) {
            try {
                new World(seed).play();
            } catch (AssertionError | RuntimeException e) {
                return "found with seed " + seed + ": " + e;
            }
        }
        return "clean in " + SCHEDULES + " schedules, " + leaderships + " leaderships, " + excused
                + " that began while the leader before was frozen";
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private final class World {
        final SplittableRandom random;
        final ManualTime time;
        final InMemoryBackend store = new InMemoryBackend();
        final List<Member> processes = new ArrayList<>();
        final List<Task> tasks = new ArrayList<>();
        boolean healing;
        /** Found inside a call whose caller catches everything. */
        @Nullable
        String broken;

        World(long seed) {
            random = new SplittableRandom(seed);
            time = new ManualTime(seed);
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(new Member(this, i == 0 ? store : store.another()));
            }
        }

        void play() {
            processes.forEach(Member::takePart);
            for (int i = 0; i < EVENTS; i++) {
                processes.get(random.nextInt(PROCESSES)).suffer();
                time.advance(Duration.ofMillis(random.nextInt(3_000)));
                check();
            }
            healing = true;
            processes.forEach(Member::heal);
            time.advance(Duration.ofMinutes(3));
            check();
            long leading =
                    processes.stream().filter(each -> each.election.isLeading()).count();
            require(leading == 1, leading + " lead in the end");
            processes.forEach(each -> each.election.close());
            time.advance(Duration.ofMinutes(3));
            for (Member each : processes) {
                require(each.election.over().isDone(), "a closed candidacy is not over: " + each.election);
                require(each.engine.size() == 0, "a name is kept that nobody holds or waits for");
                each.engine.close();
            }
            require(store.list("", 10).toCompletableFuture().join().isEmpty(), "the store keeps something for nobody");
        }

        void note(boolean condition, String what) {
            if (!condition && broken == null) {
                broken = what;
            }
        }

        void check() {
            require(broken == null, String.valueOf(broken));
            for (Task each : tasks) {
                require(
                        each.ended
                                || each.told
                                || each.process.frozen
                                || each.lease.remainingNanos() >= MARGIN.toNanos() - 1_000_000,
                        "a task was not told in time: " + each.lease);
            }
        }
    }

    /** A process: it can stand still, and then nothing of it happens until it goes on. */
    private final class Member implements Environment {
        final World world;
        final InMemoryBackend backend;
        final Engine engine;
        final List<Runnable> delayed = new ArrayList<>();
        ElectionState election;
        boolean frozen;

        Member(World world, InMemoryBackend backend) {
            this.world = world;
            this.backend = backend;
            RateLimitedLog log = new RateLimitedLog(this);
            UserCode userCode = new UserCode(Runnable::run, new SpareThread(this, new Daemons("spare")), log);
            engine = new Engine(backend, this, SETTINGS, new Reports(null, userCode, log, this), userCode);
            backend.open(this, engine);
            election = newElection();
        }

        private ElectionState newElection() {
            Terms terms = new Terms(LEASE, SearchWorld.HOLDER);
            return new ElectionState(engine, "e", terms, MARGIN, (lease, ended) -> new Task(this, lease, ended));
        }

        void takePart() {
            election.begin();
        }

        void suffer() {
            int event = world.random.nextInt(10);
            if (frozen) {
                if (event < 5) {
                    thaw();
                }
                return;
            }
            switch (event) {
                case 0, 1 -> freeze();
                case 2 -> backend.controls().disconnect();
                case 3, 4 -> backend.controls().reconnect();
                case 5 -> backend.controls().pause();
                case 6, 7 -> backend.controls().resume();
                case 8 -> election.resign();
                default -> startAnew();
            }
        }

        private void startAnew() {
            election.close();
            if (election.over().isDone()) {
                election = newElection();
                takePart();
            }
        }

        private void freeze() {
            frozen = true;
            backend.controls().pause();
        }

        /** What has come due and what has arrived meanwhile happens now, in either order. */
        private void thaw() {
            frozen = false;
            boolean answersFirst = world.random.nextBoolean();
            if (answersFirst) {
                backend.controls().resume();
            }
            List<Runnable> due = List.copyOf(delayed);
            delayed.clear();
            due.forEach(Runnable::run);
            backend.controls().resume();
        }

        void heal() {
            if (frozen) {
                thaw();
            }
            backend.controls().reconnect();
            backend.controls().resume();
            if (election.over().isDone()) {
                startAnew();
            }
            world.time.schedule(Duration.ofMinutes(1).toNanos(), () -> {
                if (election.over().isDone()) {
                    startAnew();
                }
            });
        }

        @Override
        public long nanoTime() {
            return world.time.nanoTime();
        }

        @Override
        public long wallMicros() {
            return world.time.wallMicros();
        }

        @Override
        public Scheduled schedule(long delayNanos, Runnable task) {
            return world.time.schedule(delayNanos, () -> {
                if (frozen) {
                    delayed.add(task);
                } else {
                    task.run();
                }
            });
        }

        @Override
        public Executor blocking() {
            return Runnable::run;
        }

        @Override
        public boolean timePasses() {
            return false;
        }

        @Override
        public RandomGenerator random() {
            return world.time.random();
        }
    }

    private final class Task implements LeaderTask {
        final Member process;
        final TenureLease lease;
        final Consumer<@Nullable Throwable> whenEnded;
        boolean told;
        boolean ended;

        Task(Member process, TenureLease lease, Consumer<@Nullable Throwable> whenEnded) {
            this.process = process;
            this.lease = lease;
            this.whenEnded = whenEnded;
        }

        @Override
        public void start() {
            if (told) {
                // It does not run at all.
                return;
            }
            World world = process.world;
            world.note(lease.remainingNanos() >= LEASE.toNanos() / 3, "a task begins with too little time: " + lease);
            for (Task other : world.tasks) {
                if (other.ended) {
                    continue;
                }
                world.note(other.process != process, "a task was started beside another one of its process");
                world.note(
                        other.told || other.process.frozen,
                        "a task was not told when the next one started: " + other.lease);
                excused += other.told ? 0 : 1;
            }
            leaderships++;
            world.tasks.add(this);
            if (world.random.nextInt(8) == 0 && !world.healing) {
                endIn(
                        world.random.nextInt(20_000),
                        world.random.nextBoolean() ? new IllegalStateException("thrown") : null);
            }
        }

        @Override
        public void stop() {
            World world = process.world;
            world.note(!told, "a task was told twice");
            told = true;
            // Most end at once or soon. Some take far longer than the lease.
            int kind = world.random.nextInt(10);
            endIn(kind < 4 ? 0 : world.random.nextInt(kind < 8 ? 2_000 : 60_000), null);
        }

        private void endIn(int millis, @Nullable Throwable failure) {
            process.schedule(Duration.ofMillis(millis).toNanos(), () -> {
                if (!ended) {
                    ended = true;
                    process.world.tasks.remove(this);
                    whenEnded.accept(failure);
                }
            });
        }

        @Override
        public boolean isOnItsThread() {
            return false;
        }

        @Override
        public String whereabouts() {
            return "the schedule";
        }
    }
}

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One leader: its task runs while it leads, is told in time, and is never there twice. The clock is the test's, the threads are real. */
@Timeout(60)
class LeaderElectionTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();
    private final InMemoryBackend store = new InMemoryBackend();
    private final InMemoryBackend rivalStore = store.another();
    private final Holdfast holdfast = open(store);
    private final Holdfast rival = open(rivalStore);

    @AfterEach
    void close() {
        holdfast.close();
        rival.close();
    }

    /** A task that says what happens to it, and ends when it is interrupted and allowed to. */
    private static final class Task implements CriticalAction<Exception> {
        final BlockingQueue<Lease> started = new LinkedBlockingQueue<>();
        final BlockingQueue<String> told = new LinkedBlockingQueue<>();
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        volatile CountDownLatch mayEnd = new CountDownLatch(0);

        @Override
        public void run(Lease lease) {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            started.add(lease);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                told.add(lease.isValid() ? "in time" : "late");
            }
            awaitUninterruptibly(mayEnd);
            running.decrementAndGet();
        }

        Lease awaitStart() throws InterruptedException {
            Lease lease = started.poll(20, TimeUnit.SECONDS);
            assertThat(lease).as("the lease of a task that starts").isNotNull();
            return lease;
        }

        String awaitTold() throws InterruptedException {
            String when = told.poll(20, TimeUnit.SECONDS);
            assertThat(when).as("the task is told").isNotNull();
            return when;
        }
    }

    @Test
    void theLeaderRunsItsTaskWithItsTokenAndTheStoreKnowsWhoLeads() throws Exception {
        Task task = new Task();
        LeaderElection election = holdfast.election("e").describedAs("node one");
        assertThat(election.leader()).isEmpty();
        try (Candidacy candidacy = election.start(task)) {
            Lease lease = task.awaitStart();
            assertThat(candidacy.isLeader()).isTrue();
            LockState leader = rival.election("e").leader().orElseThrow();
            assertThat(leader.holder().description()).isEqualTo("node one");
            assertThat(leader.tokens().contains(lease.token())).isTrue();
        }
        assertThat(task.awaitTold()).isEqualTo("in time");
        await(() -> leaderOf("e").isEmpty());
    }

    @Test
    void closingLetsTheNextOneLead() throws Exception {
        Task first = new Task();
        Task second = new Task();
        Candidacy one = holdfast.election("e").start(first);
        Lease earlier = first.awaitStart();
        try (Candidacy two = rival.election("e").start(second)) {
            assertThat(two.isLeader()).isFalse();
            one.close();
            Lease later = second.awaitStart();
            assertThat(later.token().value()).isGreaterThan(earlier.token().value());
            assertThat(two.isLeader()).isTrue();
            assertThat(one.isLeader()).isFalse();
        }
        one.close();
    }

    @Test
    void theTaskIsToldAMarginBeforeItsLeadershipCouldEnd() throws Exception {
        // The store falls silent. The lease of 30 s is good for 29.698 s; with 5 s of it left the task is told.
        Task task = new Task();
        task.mayEnd = new CountDownLatch(1);
        Candidacy candidacy = holdfast.election("e").start(task);
        Lease lease = task.awaitStart();
        store.controls().disconnect();
        time.advance(lease.remaining().minus(MARGIN).minusMillis(1));
        assertThat(task.told).isEmpty();
        assertThat(candidacy.isLeader()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(candidacy.isLeader()).isFalse();
        assertThat(task.awaitTold()).isEqualTo("in time");
        assertThat(lease.remaining()).isEqualTo(MARGIN);
        task.mayEnd.countDown();
        candidacy.close();
    }

    @Test
    void theMarginCanBeSetUpToHalfOfTheLease() throws Exception {
        Task task = new Task();
        LeaderElection election = holdfast.election("e").stopMargin(Duration.ofSeconds(15));
        Candidacy candidacy = election.start(task);
        Lease lease = task.awaitStart();
        time.advance(Duration.ofMinutes(5));
        assertThat(candidacy.isLeader()).isTrue();
        store.controls().disconnect();
        time.advance(LEASE);
        assertThat(task.awaitTold()).isIn("in time", "late");
        assertThat(lease.isValid()).isFalse();
        candidacy.close();
        assertThatThrownBy(() -> holdfast.election("e")
                        .stopMargin(Duration.ofMillis(15_001))
                        .start(task))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than half of the lease");
        assertThatThrownBy(() -> holdfast.election("e").stopMargin(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLossWithoutWarningTellsTheTaskAtOnceAndItCompetesAgain() throws Exception {
        Task task = new Task();
        List<Loss> losses = new CopyOnWriteArrayList<>();
        try (Candidacy candidacy = holdfast.election("e").start(task)) {
            Lease first = task.awaitStart();
            first.onLost(losses::add);
            store.controls().lose("e");
            assertThat(task.awaitTold()).isEqualTo("late");
            assertThat(losses).hasSize(1);
            Lease second = advanceUntilStarted(task);
            assertThat(second.token().value()).isGreaterThan(first.token().value());
            assertThat(candidacy.isLeader()).isTrue();
        }
    }

    @Test
    void aTaskThatIgnoresTheInterruptIsNotStartedBesideItselfAndKeepsTheLeadershipUntilItEnds() throws Exception {
        Task stubborn = new Task();
        stubborn.mayEnd = new CountDownLatch(1);
        Task next = new Task();
        Candidacy one = holdfast.election("e").start(stubborn);
        Lease lease = stubborn.awaitStart();
        Candidacy two = rival.election("e").start(next);
        one.resign();
        assertThat(stubborn.awaitTold()).isEqualTo("in time");
        time.advance(Duration.ofMinutes(10));
        assertThat(lease.isValid()).isTrue();
        assertThat(next.started).isEmpty();
        assertThat(stubborn.started).isEmpty();
        stubborn.mayEnd.countDown();
        next.awaitStart();
        assertThat(stubborn.most).hasValue(1);
        one.close();
        two.close();
    }

    @Test
    void aTaskThatWorksOnAfterItsLeadershipWasLostIsNotStartedAgainUntilItHasEnded() throws Exception {
        Task stubborn = new Task();
        stubborn.mayEnd = new CountDownLatch(1);
        Task next = new Task();
        Candidacy one = holdfast.election("e").start(stubborn);
        stubborn.awaitStart();
        store.controls().disconnect();
        Candidacy two = rival.election("e").start(next);
        time.advance(Duration.ofMinutes(1));
        assertThat(stubborn.awaitTold()).isIn("in time", "late");
        next.awaitStart();
        store.controls().reconnect();
        two.close();
        // Nobody leads, and the process of the stubborn task does not compete.
        await(() -> leaderOf("e").isEmpty());
        time.advance(Duration.ofMinutes(1));
        assertThat(leaderOf("e")).isEmpty();
        assertThat(one.isLeader()).isFalse();
        stubborn.mayEnd.countDown();
        advanceUntilStarted(stubborn);
        assertThat(stubborn.most).hasValue(1);
        one.close();
    }

    @Test
    void resigningLetsTheOneWhoWaitsInAndCompetesAgainBehindIt() throws Exception {
        Task first = new Task();
        Task second = new Task();
        Candidacy one = holdfast.election("e").start(first);
        Candidacy two = rival.election("e").start(second);
        first.awaitStart();
        one.resign();
        second.awaitStart();
        time.advance(Duration.ofSeconds(1));
        one.resign();
        assertThat(two.isLeader()).isTrue();
        two.close();
        // Its pause may have begun after the clock was moved.
        advanceUntilStarted(first);
        assertThat(one.isLeader()).isTrue();
        one.close();
    }

    @Test
    void twoCandidatesOfOneProcessTakeTurns() throws Exception {
        Task first = new Task();
        Task second = new Task();
        Candidacy one = holdfast.election("e").start(first);
        Candidacy two = holdfast.election("e").start(second);
        first.awaitStart();
        one.close();
        second.awaitStart();
        two.close();
        await(() -> leaderOf("e").isEmpty());
    }

    @Test
    void aTaskThatThrowsIsStartedAgainAfterPausesThatGrowAndAreBounded() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Candidacy candidacy = holdfast.election("e").start(lease -> {
            runs.incrementAndGet();
            throw new IllegalStateException("broken");
        })) {
            await(() -> runs.get() == 1);
            long begun = time.nanoTime();
            // Ten more: at least 0.05 + 0.1 + 0.2 + ... s, and at most 15 s each.
            for (int run = 2; run <= 11; run++) {
                int wanted = run;
                await(() -> {
                    while (candidacy.toString().endsWith("pausing")) {
                        time.advance(Duration.ofMillis(10));
                    }
                    return runs.get() >= wanted;
                });
            }
            Duration took = Duration.ofNanos(time.nanoTime() - begun);
            assertThat(took).isGreaterThan(Duration.ofSeconds(10));
            assertThat(candidacy.name()).isEqualTo("e");
        }
    }

    @Test
    void aTaskThatReturnsGivesTheLeadershipBack() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Task next = new Task();
        Candidacy one = holdfast.election("e").start(lease -> awaitUninterruptibly(done));
        await(one::isLeader);
        Candidacy two = rival.election("e").start(next);
        done.countDown();
        next.awaitStart();
        one.close();
        two.close();
    }

    @Test
    void anOutageIsSurvived() throws Exception {
        store.controls().disconnect();
        Task task = new Task();
        try (Candidacy candidacy = holdfast.election("e").start(task)) {
            time.advance(Duration.ofMinutes(5));
            assertThat(candidacy.isLeader()).isFalse();
            store.controls().reconnect();
            advanceUntilStarted(task);
        }
    }

    @Test
    void aGrantThatIsNotConfirmedStartsNothing() throws Exception {
        // The lock is handed over, and the store falls silent before it is confirmed: what is left is too short to
        // begin.
        Task first = new Task();
        Task second = new Task();
        Candidacy one = holdfast.election("e").start(first);
        Candidacy two = rival.election("e").start(second);
        first.awaitStart();
        one.close();
        Lease lease = second.awaitStart();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(10));
        two.close();
    }

    @Test
    void closingTheHoldfastTellsTheTaskAndGivesTheLeadershipBack() throws Exception {
        Task task = new Task();
        Task next = new Task();
        InMemoryBackend real = new InMemoryBackend();
        Holdfast own = Holdfast.builder(real).closeGrace(Duration.ofMinutes(1)).build();
        Holdfast other = Holdfast.over(real.another());
        Candidacy candidacy = own.election("e").start(task);
        task.awaitStart();
        Candidacy waiting = other.election("e").start(next);
        own.close();
        assertThat(task.awaitTold()).isEqualTo("in time");
        next.awaitStart();
        assertThat(candidacy.isLeader()).isFalse();
        assertThatThrownBy(() -> own.election("e").start(task)).isInstanceOf(HoldfastClosedException.class);
        waiting.close();
        other.close();
    }

    @Test
    void closeReturnsWhenTheLeadershipIsGivenBack() throws Exception {
        InMemoryBackend real = new InMemoryBackend();
        try (Holdfast own =
                Holdfast.builder(real).closeGrace(Duration.ofMinutes(1)).build()) {
            Task task = new Task();
            Candidacy candidacy = own.election("e").start(task);
            task.awaitStart();
            candidacy.close();
            assertThat(own.election("e").leader()).isEmpty();
            assertThat(task.running).hasValue(0);
        }
    }

    @Test
    void closeDoesNotWaitForEverForATaskThatNeverEnds() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Holdfast own = Holdfast.builder(new InMemoryBackend())
                .closeGrace(Duration.ofMillis(50))
                .build()) {
            Task task = new Task();
            task.mayEnd = never;
            Candidacy candidacy = own.election("e").start(task);
            task.awaitStart();
            candidacy.close();
            // It still works, so nobody else may lead.
            assertThat(own.election("e").leader()).isPresent();
            never.countDown();
            await(() -> isEmpty(own));
        }
    }

    @Test
    void aTaskMayCloseItsOwnCandidacy() throws Exception {
        try (Holdfast own = Holdfast.over(new InMemoryBackend())) {
            BlockingQueue<Candidacy> self = new LinkedBlockingQueue<>();
            AtomicInteger runs = new AtomicInteger();
            Candidacy candidacy = own.election("e").start(lease -> {
                runs.incrementAndGet();
                self.take().close();
            });
            self.add(candidacy);
            await(() -> candidacy.toString().endsWith("over"));
            assertThat(runs).hasValue(1);
            assertThat(own.election("e").leader()).isEmpty();
        }
    }

    @Test
    void theTaskRunsWithTheClassLoaderOfWhoBeganAndOnADaemon() throws Exception {
        ClassLoader mine = new ClassLoader(getClass().getClassLoader()) {};
        Thread.currentThread().setContextClassLoader(mine);
        BlockingQueue<Thread> seen = new LinkedBlockingQueue<>();
        try (Candidacy candidacy = holdfast.election("e").start(lease -> seen.add(Thread.currentThread()))) {
            Thread thread = seen.poll(20, TimeUnit.SECONDS);
            assertThat(thread).isNotNull();
            assertThat(thread.isDaemon()).isTrue();
            assertThat(thread.getContextClassLoader()).isSameAs(mine);
            assertThat(thread.getName()).isEqualTo("holdfast-leader-" + candidacy.name());
        } finally {
            Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
        }
    }

    // ---- small things

    private Holdfast open(InMemoryBackend backend) {
        return Holdfast.builder(backend).environment(time).lease(LEASE).build();
    }

    private Optional<LockState> leaderOf(String name) {
        try {
            return rival.election(name).leader();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isEmpty(Holdfast holdfast) {
        try {
            return holdfast.election("e").leader().isEmpty();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Threads take real time, and pauses the test's. */
    private Lease advanceUntilStarted(Task task) {
        await(() -> {
            time.advance(Duration.ofMillis(100));
            return !task.started.isEmpty();
        });
        return task.started.remove();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // Stubborn.
            }
        }
    }
}

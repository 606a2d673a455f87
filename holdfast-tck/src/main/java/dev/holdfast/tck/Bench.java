package dev.holdfast.tck;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What one test works with: clients, names, claims and patience. Closes everything that it gave out. */
final class Bench implements AutoCloseable {
    /** For locks that must not expire during a test, however slow the machine is. */
    static final Duration LONG = Duration.ofSeconds(50);

    /** Since when the kit's claims wait, as a whole number of milliseconds: stores may keep no more. */
    static final long SINCE_MICROS = 1_700_000_000_123_000L;

    private static final int TOKENS = 4;

    /** For what takes its time on a busy machine, and tells nothing by it: an answer, a connection, another process. */
    static final Duration AS_LONG_AS_IT_TAKES = Duration.ofSeconds(60);

    /** Whoever stood still for longer than this may have missed what a store keeps for a moment only. */
    private static final Duration MOMENT = Duration.ofMillis(500);

    private static final int SCENES = 5;

    private final LockBackendContract contract;
    private final RealTime environment = new RealTime();
    private final Deque<Runnable> opened = new ArrayDeque<>();
    private final Stalls stalls;
    /** Of the present scene, if one is played. */
    private volatile @Nullable Stalls sceneStalls;

    private @Nullable Guarantees guarantees;
    private final String unique = Owner.random(environment.random()).toString();

    Bench(LockBackendContract contract) {
        this.contract = contract;
        this.stalls = stalls();
    }

    // ---- clients

    /** A client that the test drives step by step. */
    Client client() {
        Client client = new Client(this, newBackend());
        opened.push(client::close);
        return client;
    }

    List<Client> clients(int count) {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(client());
        }
        return clients;
    }

    /** A client as users have it. */
    Holdfast holdfast() {
        return holdfast(builder -> builder);
    }

    Holdfast holdfast(UnaryOperator<Holdfast.Builder> options) {
        Holdfast holdfast = options.apply(builder(newBackend())).build();
        opened.push(holdfast::close);
        return holdfast;
    }

    /** Short grace: a test that is over waits for nothing. */
    private Holdfast.Builder builder(LockBackend backend) {
        return Holdfast.builder(backend)
                .lease(LONG)
                .unavailableAfter(patience())
                .closeGrace(Duration.ofMillis(200));
    }

    /** A backend that nobody has opened yet. */
    LockBackend newBackend() {
        return Connecting.patiently(contract::newClient);
    }

    Holdfast holdfast(LockBackend backend, Environment own) {
        Holdfast holdfast = builder(backend).environment(own).build();
        opened.push(holdfast::close);
        return holdfast;
    }

    /** A JVM of its own that asks for these locks. */
    ChildProcess child(OtherProcess other, Duration lease, List<String> names) {
        return child(LockTakingProcess.class, other, lease, names);
    }

    /** A JVM of its own that takes so many permits of this semaphore. */
    ChildProcess permitTaker(OtherProcess other, Duration lease, String name, int permits, int taken) {
        List<String> wanted = List.of(name, Integer.toString(permits), Integer.toString(taken));
        return child(PermitTakingProcess.class, other, lease, wanted);
    }

    private ChildProcess child(Class<?> main, OtherProcess other, Duration lease, List<String> wanted) {
        ChildProcess child = ChildProcess.start(this, main, other, lease, wanted);
        opened.push(child::close);
        return child;
    }

    Optional<OtherProcess> otherProcess() {
        return contract.otherProcess();
    }

    Optional<FailoverControl> failover() {
        return contract.failover();
    }

    Guarantees guarantees() {
        if (guarantees == null) {
            guarantees = client().backend.guarantees();
        }
        return guarantees;
    }

    boolean isFair() {
        return guarantees().fair();
    }

    boolean handsOver() {
        return guarantees().waking() == Waking.HAND_OVER;
    }

    // ---- names and claims

    /** A name that nobody else uses, whatever is left in the store. */
    String name(String label) {
        return prefix() + label;
    }

    /** The key of a semaphore that nobody else uses. */
    String semaphore(String label) {
        return LockKey.semaphore(name(label)).encoded();
    }

    /** The key of a read-write lock that nobody else uses. */
    String readWriteLock(String label) {
        return LockKey.readWriteLock(name(label)).encoded();
    }

    String prefix() {
        return "tck/" + unique + "/";
    }

    Owner owner() {
        return Owner.random(environment.random());
    }

    /** For a lock that does not expire during the test, and without queueing. */
    Claim claim(String name) {
        return claim(name, LONG, TOKENS, false);
    }

    Claim queueing(String name) {
        return claim(name, LONG, TOKENS, true);
    }

    Claim claim(String name, Duration lease, int tokens, boolean queue) {
        return waiting(Claim.of(name, owner(), lease, tokens, holder("tck")), queue);
    }

    Claim describedAs(Claim claim, String description) {
        Claim other = Claim.of(claim.key(), claim.owner(), claim.lease(), claim.tokens(), holder(description))
                .forAnyOf(claim.slots());
        return waiting(claim.shared() ? other.forReading() : other, claim.queue());
    }

    private static Claim waiting(Claim claim, boolean queue) {
        return queue ? claim.queuedSince(SINCE_MICROS) : claim;
    }

    private static Holder holder(String description) {
        return new Holder("bench.example", ProcessHandle.current().pid(), description);
    }

    /** Ends while the test waits for it. */
    Claim brief(String name) {
        return claim(name, contract.lease(), TOKENS, false);
    }

    Duration lease() {
        return contract.lease();
    }

    Duration soon() {
        return contract.soon();
    }

    // ---- time and threads

    Environment environment() {
        return environment;
    }

    Duration patience() {
        return contract.patience();
    }

    long now() {
        return environment.nanoTime();
    }

    /** Waits for something that has to happen. */
    void await(String what, BooleanSupplier condition) {
        await(what, patience(), condition);
    }

    void await(String what, Duration limit, BooleanSupplier condition) {
        long deadline = now() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (now() - deadline >= 0) {
                throw new AssertionError("Waited for " + limit + " and it did not happen: " + what);
            }
            pause();
        }
    }

    /** What has to be done before a lease of this length ends. */
    interface Scene {
        /** Returns false if the lease was over first: then nothing was shown, neither right nor wrong. */
        boolean playedBeforeTheEndOf(Duration lease) throws Exception;
    }

    /** Plays it with the shortest lease for which this machine is fast enough. */
    void inTime(Duration shortest, Scene scene) throws Exception {
        Duration lease = shortest;
        while (!scene.playedBeforeTheEndOf(lease)) {
            lease = lease.multipliedBy(2);
            if (lease.compareTo(LONG) > 0) {
                throw new AssertionError("This machine is too slow for a lease of " + LONG);
            }
        }
    }

    /** What shows something, or, on a machine that stood still at the wrong moment, nothing. */
    interface Showing {
        /** Returns false if nothing was shown, neither right nor wrong. Uses names that it makes with the label. */
        boolean shown(String label) throws Exception;
    }

    /** Plays it until it has shown something. */
    void untilShown(Showing scene) throws Exception {
        for (int played = 1; !scene.shown(played + ". "); played++) {
            if (played == SCENES) {
                throw new AssertionError("Nothing could be shown in " + SCENES
                        + " scenes: this machine stands still too often, or leases end that must not");
            }
        }
    }

    /** A test that can be played again, with names that it makes with the label. */
    interface Play {
        void play(String label) throws Exception;
    }

    /**
     * Whoever is handed something and stands still for longer than the store waits for it has lost its turn. So what failed while the
     * machine stood still is played again, and has to succeed in one of a few scenes.
     */
    void handingOver(Play test) throws Exception {
        for (int played = 1; ; played++) {
            Stalls scene = stalls();
            sceneStalls = scene;
            try {
                test.play(played + ". ");
                return;
            } catch (AssertionError failure) {
                if (played == SCENES || scene.worst().compareTo(MOMENT) <= 0) {
                    throw failure;
                }
            } finally {
                sceneStalls = null;
                scene.close();
            }
        }
    }

    /** Whether the machine or the store stood still in this test for longer than a moment. */
    boolean stoodStill() {
        return stalls.worst().compareTo(MOMENT) > 0;
    }

    /** The test waited that long for an answer. */
    void answeredAfter(long nanos) {
        stalls.note(nanos);
        Stalls scene = sceneStalls;
        if (scene != null) {
            scene.note(nanos);
        }
    }

    /** Lets time pass. Only for what depends on time itself, such as the end of a lease. */
    void awaitTime(long untilNanos) {
        while (now() - untilNanos < 0) {
            LockSupport.parkNanos(untilNanos - now());
        }
    }

    static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("The test was interrupted: it took too long");
        }
    }

    Stalls stalls() {
        Stalls stalls = new Stalls(this);
        opened.push(stalls::close);
        return stalls;
    }

    <T> T get(String what, Future<T> future) throws Exception {
        return get(what, patience(), future);
    }

    <T> T get(String what, Duration limit, Future<T> future) throws Exception {
        try {
            return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("Waited for " + limit + " and did not get " + what, e);
        }
    }

    /** For questions inside a condition: an exception ends the test. */
    <T> T guarded(Callable<T> question) {
        try {
            return question.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Runs all of them at the same moment, each in a thread of its own, and returns what they returned. */
    <T> List<T> together(List<? extends Callable<T>> tasks) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<T>> running = new ArrayList<>();
        for (Callable<T> task : tasks) {
            FutureTask<T> gated = new FutureTask<>(() -> {
                start.await();
                return task.call();
            });
            environment.blocking().execute(gated);
            running.add(gated);
        }
        start.countDown();
        List<T> results = new ArrayList<>();
        for (Future<T> each : running) {
            results.add(each.get(200, TimeUnit.SECONDS));
        }
        return results;
    }

    /** The failure of a future that has to fail. */
    Throwable failureOf(CompletableFuture<?> future) {
        await("the future fails", future::isDone);
        return future.handle((value, failure) -> {
                    if (failure == null) {
                        throw new AssertionError("Expected a failure, got " + value);
                    }
                    return failure;
                })
                .join();
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
        environment.close();
    }
}

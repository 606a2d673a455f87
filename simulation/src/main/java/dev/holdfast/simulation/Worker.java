package dev.holdfast.simulation;

import dev.holdfast.Acquirable;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastClosedException;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.simulation.EndingChecks.Ending;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One thread's worth of work: asks for a lock, does something under it, lets go, thinks. */
final class Worker {
    private final World world;
    final Client process;
    private final String label;
    private final Holdfast holdfast;
    private boolean idle;
    /** Of a read-write lock: whether it reads this time. */
    private boolean reads;

    private String lockName = "";
    long joinedNanos;
    private @Nullable CompletableFuture<Lease> asking;

    @Nullable
    Lease lease;

    Worker(World world, Client process, int number, Holdfast holdfast) {
        this.world = world;
        this.process = process;
        this.label = "worker " + number;
        this.holdfast = holdfast;
    }

    boolean isIdle() {
        return idle;
    }

    String lockName() {
        return lockName;
    }

    @Override
    public String toString() {
        return process.name() + ", " + label;
    }

    void think() {
        later(world.exponential(world.plan.thinkNanos()), this::begin);
    }

    private void later(long nanos, Runnable code) {
        world.at(world.now + nanos, process, code);
    }

    private void begin() {
        world.checks.beforeAsking(process);
        if (!world.wantsMore()) {
            idle = true;
            return;
        }
        lockName = world.lockName();
        joinedNanos = world.now;
        world.waitingChecks.changed(process, lockName);
        tell(Trace.Kind.ASKED, 0, "asks for '" + lockName + "'");
        Acquirable<?> lock = wanted();
        long style = world.below(100);
        CompletableFuture<Lease> future = style < 60
                ? lock.acquireAsync()
                : lock.acquireAsync(style < 70 ? Duration.ZERO : Duration.ofNanos(world.holdNanos() + 1));
        asking = future;
        if (style < 60 || style >= 70) {
            world.checks.joined(this);
        }
        var unused = future.whenComplete(this::settled);
        if (world.isFaulty() && world.percent(4)) {
            later(world.holdNanos(), () -> cancel(future));
        }
    }

    /** Most of those who come to a read-write lock read. */
    private Acquirable<?> wanted() {
        return switch (world.plan.kind()) {
            case LOCK -> options(holdfast.lock(lockName));
            case SEMAPHORE -> options(holdfast.semaphore(lockName, permits()));
            case READ_WRITE_LOCK -> {
                reads = world.percent(65);
                DistributedReadWriteLock lock = holdfast.readWriteLock(lockName);
                yield options(reads ? lock.read() : lock.write());
            }
        };
    }

    /** Some processes of some worlds know of one permit less. */
    private int permits() {
        int permits = world.plan.permits();
        return permits > 1 && world.plan.seed() % 4 == 0 && process.id % 2 == 0 ? permits - 1 : permits;
    }

    boolean reads() {
        return reads;
    }

    /** What this lease protects: each slot of a semaphore is a resource of its own. */
    private String protectedBy(Lease held) {
        return world.plan.kind() == LockKind.SEMAPHORE ? lockName + "/" + held.slot() : lockName;
    }

    /**
     * A fixed lease, and one that is bounded, now and then: in a calm world they would end before their holders do. In some
     * worlds locks stay taken for a while after they were closed, for longer than the longest lease, too.
     */
    private <H extends Acquirable<H>> H options(H lock) {
        if (world.plan.keepsLocks() && world.wantsMore() && world.percent(30)) {
            return lock.heldAtLeast(
                    Duration.ofNanos(1 + world.below(4 * world.plan.lease().toNanos())));
        }
        if (world.plan.isCalm() || !world.percent(12)) {
            return lock;
        }
        return world.percent(50) ? lock.fixed() : lock.heldAtMost(world.plan.lease());
    }

    private void cancel(CompletableFuture<Lease> future) {
        if (asking == future && !future.isDone()) {
            tell(Trace.Kind.TOLD, 0, "gives up waiting");
            future.cancel(false);
        }
    }

    private void settled(@Nullable Lease got, @Nullable Throwable failure) {
        asking = null;
        if (got == null) {
            world.checks.left(this);
            world.waitingChecks.changed(process, lockName);
            String why = failure == null ? "" : failure.getClass().getSimpleName();
            tell(Trace.Kind.TOLD, 0, "gets nothing: " + why);
            if (failure instanceof HoldfastClosedException) {
                idle = true;
            } else {
                think();
            }
            return;
        }
        lease = got;
        long token = got.token().value();
        tell(Trace.Kind.LEASE, token, (reads ? "reads '" : "holds '") + protectedBy(got) + "' with token " + token);
        Ending ending = world.endingChecks.delivered(this, got);
        got.onLost(loss -> {
            tell(Trace.Kind.VALIDITY_ENDED, token, "has lost token " + token + ": " + loss.why());
            world.endingChecks.toldLost(ending);
        });
        world.checks.delivered(this, got);
        world.keptChecks.delivered(this, got);
        world.waitingChecks.changed(process, lockName);
        world.trace.mark(world.now, process.id, token);
        if (!reads && world.percent(45)) {
            update(got, token, ending);
        } else {
            later(world.holdNanos(), () -> release(got, ending));
        }
    }

    /** Announce before the first read; then each write is conditional. Some look at their lease, some do not. */
    private void update(Lease held, long token, Ending ending) {
        if (!world.plan.guarded()) {
            readAndWrite(held, token, ending);
            return;
        }
        world.resource.announce(process, protectedBy(held), token, answer -> {
            if (answer == Resource.STALE) {
                release(held, ending);
            } else {
                readAndWrite(held, token, ending);
            }
        });
    }

    private void readAndWrite(Lease held, long token, Ending ending) {
        boolean careful = world.percent(50);
        String name = protectedBy(held);
        world.resource.read(
                process,
                name,
                basis -> later(world.holdNanos(), () -> {
                    if (careful && !held.isValid()) {
                        release(held, ending);
                    } else {
                        world.resource.write(process, name, token, basis, answer -> release(held, ending));
                    }
                }));
    }

    private void release(Lease held, Ending ending) {
        tell(
                Trace.Kind.CLOSED,
                held.token().value(),
                "lets go of token " + held.token().value());
        world.checks.closing(this, held);
        world.waitingChecks.changed(process, lockName);
        lease = null;
        world.endingChecks.close(ending);
        think();
    }

    private void tell(Trace.Kind kind, long token, String text) {
        if (world.trace.telling) {
            world.trace.tell(world.now, process.name(), kind, lockName, token, label + " " + text);
        }
    }
}

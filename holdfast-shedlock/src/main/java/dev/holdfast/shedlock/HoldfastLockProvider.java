package dev.holdfast.shedlock;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * Scheduled jobs under ShedLock, on any store of Holdfast.
 *
 * <pre>{@code
 * @Bean
 * LockProvider lockProvider(Holdfast holdfast) {
 *     return new HoldfastLockProvider(holdfast);
 * }
 * }</pre>
 *
 * <p>{@code lockAtMostFor} bounds how long a job may hold its lock. It is not how long a crashed node keeps it: the lock has
 * a short lease that is renewed while the job runs, so after a crash the job is free after one lease. {@code lockAtLeastFor} is
 * kept by the store, also if the process ends after the job; where a store cannot (ZooKeeper), by this process.
 *
 * <p>Safe for use by many threads. Close the Holdfast after the scheduler has stopped.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {
    /** Shorter ones would be lost to the first pause, and gain nothing: a job's end is watched by this process as well. */
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);

    private final Holdfast holdfast;
    private final Duration lease;
    private final String prefix;

    /** Leases of 30 seconds; a job's name is its lock's. */
    public HoldfastLockProvider(Holdfast holdfast) {
        this(holdfast, Duration.ofSeconds(30), "");
    }

    private HoldfastLockProvider(Holdfast holdfast, Duration lease, String prefix) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        this.lease = Objects.requireNonNull(lease, "lease");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    /** How long a crashed node keeps a job to itself; at most its {@code lockAtMostFor}, but never below two seconds. */
    public HoldfastLockProvider withLease(Duration lease) {
        return new HoldfastLockProvider(holdfast, lease, prefix);
    }

    /** What the lock's name begins with, so that a job cannot meet another lock of the same name. */
    public HoldfastLockProvider withPrefix(String prefix) {
        return new HoldfastLockProvider(holdfast, lease, prefix);
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration job) {
        Duration atMost = job.getLockAtMostFor();
        if (atMost.isZero() || atMost.isNegative()) {
            return Optional.empty();
        }
        try {
            DistributedLock lock = holdfast.lock(prefix + job.getName()).withLease(leaseFor(atMost));
            return lock.tryAcquire().map(taken -> jobLock(job, taken));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException("Interrupted while asking for the lock of job '" + job.getName() + "'", e);
        } catch (IllegalArgumentException e) {
            throw new LockException("Job '" + job.getName() + "' cannot be locked: " + e.getMessage(), e);
        } catch (HoldfastException e) {
            // ShedLock tells this apart from "somebody else runs it": the job does not run, and the log says why.
            throw new LockException("No answer about the lock of job '" + job.getName() + "': " + e.getMessage(), e);
        }
    }

    /** A node that crashes must not keep a job for longer than the job may take. */
    private Duration leaseFor(Duration atMost) {
        Duration shorter = atMost.compareTo(lease) < 0 ? atMost : lease;
        return shorter.compareTo(SHORTEST_LEASE) < 0 ? SHORTEST_LEASE : shorter;
    }

    private SimpleLock jobLock(LockConfiguration job, Lease taken) {
        return new JobLock(job, new HeldJob(taken, holdfast.guarantees().heldAtLeast()));
    }
}

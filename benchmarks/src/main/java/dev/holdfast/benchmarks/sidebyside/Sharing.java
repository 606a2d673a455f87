package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.RedisBackend;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;

/** Permits and read-write locks in Redis, as peers: what they are asked to lock is what they take a permit of, or read, or write. */
public final class Sharing {
    public static final int PERMITS = 8;
    /** What a thread says that wants to write; everybody else reads. */
    public static final String WRITE = "write";

    private static final int READERS_OF_A_HUNDRED = 95;
    private static final int REDISSON_LEASE_SECONDS = 30;

    static final String OUR_PERMITS = "Holdfast semaphore";
    static final String OUR_READERS = "Holdfast read-write lock";
    static final String REDISSON_PERMITS = "Redisson RPermitExpirableSemaphore";
    static final String REDISSON_READERS = "Redisson RReadWriteLock";

    static final List<Peer> PERMIT_PEERS = List.of(
            new SharingPeer(
                    OUR_PERMITS,
                    "RedisBackend.connect(url), all defaults",
                    urls -> permits(Holdfast.over(RedisBackend.connect(urls.get(0))))),
            new SharingPeer(
                    REDISSON_PERMITS,
                    "useSingleServer(), all defaults, acquire(30 s): it has no renewal",
                    urls -> permits(RedissonPeer.single(urls.get(0)))));
    static final List<Peer> READER_PEERS = List.of(
            new SharingPeer(
                    OUR_READERS,
                    "RedisBackend.connect(url), all defaults",
                    urls -> readersAndWriters(Holdfast.over(RedisBackend.connect(urls.get(0))))),
            new SharingPeer(
                    REDISSON_READERS,
                    "useSingleServer(), all defaults, lock() with renewal",
                    urls -> readersAndWriters(RedissonPeer.single(urls.get(0)))));

    private Sharing() {}

    /** 95 of 100 read. */
    public static Supplier<String> mostlyReads(int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        return () -> random.nextInt(100) < READERS_OF_A_HUNDRED ? "read" : WRITE;
    }

    /** Of whatever store. */
    public static Peer.Client permits(Holdfast holdfast) {
        return new SharingClient(
                name -> {
                    Lease lease = holdfast.semaphore(name, PERMITS).acquire();
                    return lease::close;
                },
                holdfast::close);
    }

    /** Of whatever store. */
    public static Peer.Client readersAndWriters(Holdfast holdfast) {
        var lock = holdfast.readWriteLock("shared");
        return new SharingClient(
                name -> {
                    Lease lease = (name.equals(WRITE) ? lock.write() : lock.read()).acquire();
                    return lease::close;
                },
                holdfast::close);
    }

    private static Peer.Client permits(RedissonClient redisson) {
        return new SharingClient(
                name -> {
                    RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
                    var unused = semaphore.trySetPermits(PERMITS);
                    String permit = semaphore.acquire(REDISSON_LEASE_SECONDS, TimeUnit.SECONDS);
                    return () -> semaphore.release(permit);
                },
                redisson::shutdown);
    }

    private static Peer.Client readersAndWriters(RedissonClient redisson) {
        RReadWriteLock lock = redisson.getReadWriteLock("shared");
        return new SharingClient(
                name -> {
                    var wanted = name.equals(WRITE) ? lock.writeLock() : lock.readLock();
                    wanted.lock();
                    return wanted::unlock;
                },
                redisson::shutdown);
    }
}

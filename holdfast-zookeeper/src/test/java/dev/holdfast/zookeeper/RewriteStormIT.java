package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A neighbour with all rights writes to, removes, replaces and forges claims while clients contend for one lock. A claim
 * that is only written to, or stands behind a forged one, never gives two leases. One that was removed can: its holder
 * learns of it with the next renewal, and that is when its lease ends. Any write used to count as a release: two leases were
 * valid for as long as a renewal that looked at its own node only kept them so.
 */
@Timeout(400)
class RewriteStormIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration LENGTH =
            "long".equals(System.getProperty("holdfast.search")) ? Duration.ofMinutes(2) : Duration.ofSeconds(6);
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int CLIENTS = 4;

    private record Overlap(Lease earlier, Lease later) {}

    private final Set<Lease> out = ConcurrentHashMap.newKeySet();
    private final Queue<Overlap> overlaps = new ConcurrentLinkedQueue<>();
    /** The zxids of claims that the neighbour has removed. */
    private final Set<Long> removed = ConcurrentHashMap.newKeySet();

    private long removedNanos = System.nanoTime();
    private final AtomicInteger untold = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicBoolean enough = new AtomicBoolean();

    @Test
    void writesAndForgedClaimsNeverGiveTwoLeases() throws Exception {
        storm("rewritten", false);
        assertThat(overlaps).isEmpty();
    }

    @Test
    void onlyAClaimThatWasRemovedIsBelievedForAnotherRenewal() throws Exception {
        storm("removed", true);
        for (Overlap overlap : overlaps) {
            assertThat(removed)
                    .as("the claim of one of two valid leases was removed")
                    .containsAnyOf(zxid(overlap.earlier()), zxid(overlap.later()));
        }
        assertThat(untold).as("leases that outlived their claim").hasValue(0);
    }

    private static long zxid(Lease lease) {
        return lease.token().value() / Place.TOKENS_PER_ZXID;
    }

    private void storm(String name, boolean removing) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Holdfast> clients = new ArrayList<>();
        try (Neighbour neighbour = new Neighbour(server.address())) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Holdfast client = Holdfast.builder(
                                Clients.of(server.address(), Clients.LONG).connect())
                        .lease(LEASE)
                        .build();
                clients.add(client);
                workers.add(threads.submit(() -> work(client, name)));
            }
            long end = System.nanoTime() + LENGTH.toNanos();
            // On a busy machine for longer, so that there is something to see.
            long last = end + Duration.ofMinutes(1).toNanos();
            while (System.nanoTime() - end < 0 || (served.get() <= 10 && System.nanoTime() - last < 0)) {
                meddle(neighbour, name, removing);
                done.incrementAndGet();
            }
            enough.set(true);
            for (Future<?> worker : workers) {
                worker.get(120, TimeUnit.SECONDS);
            }
            assertThat(served).hasValueGreaterThan(10);
            assertThat(done).hasValueGreaterThan(10);
        } finally {
            enough.set(true);
            threads.shutdownNow();
            clients.forEach(Holdfast::close);
        }
    }

    private void meddle(Neighbour neighbour, String name, boolean removing) throws Exception {
        List<String> claims = neighbour.claims(name);
        if (claims.isEmpty()) {
            return;
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String claim = claims.get(random.nextInt(claims.size()));
        switch (random.nextInt(removing ? 8 : 6)) {
            case 0, 1, 2, 3 -> neighbour.rewrite(claim);
            case 4 -> neighbour.rewrite(claim.substring(0, claim.lastIndexOf('/')));
            case 5 -> {
                if (random.nextInt(20) == 0) {
                    String forged = neighbour.forge(name, 0);
                    LockSupport.parkNanos(random.nextLong(30_000_000));
                    neighbour.delete(forged);
                }
            }
            case 6 -> {
                if (mayRemove() && noteRemoved(neighbour, claim)) {
                    neighbour.delete(claim);
                }
            }
            default -> {
                if (mayRemove() && noteRemoved(neighbour, claim) && neighbour.replace(claim)) {
                    LockSupport.parkNanos(random.nextLong(30_000_000));
                    neighbour.delete(claim);
                }
            }
        }
    }

    /** Twice a second: whoever loses its claim has to find out before it is served again. */
    private boolean mayRemove() {
        long now = System.nanoTime();
        if (now - removedNanos < 500_000_000L) {
            return false;
        }
        removedNanos = now;
        return true;
    }

    /** Before it happens: whoever profits from it may be faster than we are. */
    private boolean noteRemoved(Neighbour neighbour, String claim) throws Exception {
        Stat found = neighbour.curator().checkExists().forPath(claim);
        return found != null && removed.add(found.getCzxid());
    }

    private void work(Holdfast client, String name) {
        while (!enough.get()) {
            try (Lease lease = client.lock(name).acquire(Duration.ofSeconds(30))) {
                if (!lease.isValid()) {
                    continue;
                }
                for (Lease other : out) {
                    if (other.isValid() && lease.isValid()) {
                        overlaps.add(new Overlap(other, lease));
                    }
                }
                out.add(lease);
                served.incrementAndGet();
                hold(lease);
                if (removed.contains(zxid(lease)) && !endsByItself(lease)) {
                    untold.incrementAndGet();
                }
                // Before it is given back: from then on somebody else may have the lock.
                out.remove(lease);
            } catch (HoldfastException lostOrBusy) {
                LockSupport.parkNanos(1_000_000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** With a renewal every third of it, which a busy machine may delay. */
    private static boolean endsByItself(Lease lease) {
        long end = System.nanoTime() + LEASE.multipliedBy(4).toNanos();
        while (lease.isValid() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        return !lease.isValid();
    }

    /** Mostly briefly, now and then for longer than it takes to renew. */
    private static void hold(Lease lease) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long nanos = random.nextInt(15) == 0 ? LEASE.toNanos() / 2 : random.nextLong(10_000_000);
        long end = System.nanoTime() + nanos;
        while (lease.isValid() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}

package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/** All nodes of a quorum, and what this client has learned about each bucket of names. */
final class Members {
    /** A name is asked for at its home first for this long after somebody was in the way. */
    private static final long BUSY_NANOS = 5_000_000_000L;

    /** How old the news may be that a node answers. One that was stopped since is not known to be gone. */
    private static final long RECENT_NANOS = 500_000_000L;

    final List<Member> all;
    final ServerList list;
    final int majority;
    private final Environment environment;
    /** By bucket, so memory stays bounded. A wrong guess costs a round trip, no more. */
    private final AtomicLongArray highest = new AtomicLongArray(Keys.BUCKETS);

    private final AtomicLongArray busyUntil = new AtomicLongArray(Keys.BUCKETS);
    private final long startNanos;

    Members(List<Member> all, ServerList list, Environment environment) {
        this.all = all;
        this.list = list;
        this.majority = Ballot.majorityOf(all.size());
        this.environment = environment;
        this.startNanos = environment.nanoTime();
    }

    int size() {
        return all.size();
    }

    // ---- tokens

    /** What the nodes should answer so that they agree: their time, or what comes after the highest token we have seen. */
    long proposal(int bucket, int tokens) {
        long now = environment.nanoTime();
        long[] times = new long[all.size()];
        int known = 0;
        for (Member member : all) {
            long time = member.clock.estimateMicros(now);
            if (time > 0) {
                times[known++] = time;
            }
        }
        Arrays.sort(times, 0, known);
        long median = known == 0 ? 0 : times[known / 2];
        return Math.max(median, highest.get(bucket) + tokens);
    }

    void seen(int bucket, long value) {
        highest.accumulateAndGet(bucket, value, Math::max);
    }

    // ---- where to wait

    /** Times relative to the start, because the origin of nanoTime is anywhere, and zero means never. */
    private long sinceStart() {
        return environment.nanoTime() - startNanos;
    }

    void noteBusy(int bucket) {
        busyUntil.set(bucket, sinceStart() + BUSY_NANOS);
    }

    boolean isBusy(int bucket) {
        return busyUntil.get(bucket) > sinceStart();
    }

    /** Whether enough nodes answer and vote, by news that is recent. */
    boolean majorityIsHealthy() {
        return all.stream()
                        .filter(member -> member.isHealthy() && member.hasAnsweredWithin(RECENT_NANOS))
                        .count()
                >= majority;
    }

    /** Of how many nodes no answer is expected. */
    int unhealthy() {
        return (int) all.stream().filter(member -> !member.isHealthy()).count();
    }

    /** The node at which claims for this name wait. Clients that see the same nodes choose the same one. */
    Optional<Member> home(String name) {
        return all.stream()
                .filter(member -> member.isHealthy() && member.node.isSubscribed())
                .max(Comparator.comparingLong(member -> weight(name, member)));
    }

    /** Rendezvous: the node with the greatest weight; if it goes, the others keep their order. */
    static long weight(String name, Member member) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        crc.update(member.node.identity().runId().getBytes(StandardCharsets.UTF_8));
        // CRC is linear: without this the order of two nodes would hardly depend on the name.
        long mixed = crc.getValue() * 0x9E3779B97F4A7C15L;
        return ((mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L) >>> 1;
    }

    // ---- failures

    /** Why no majority could be asked: refused if trying again cannot help, proven if nothing can have been granted. */
    Exception unavailable(List<Throwable> failures) {
        String reasons = failures.stream()
                .map(failure -> String.valueOf(failure.getMessage()))
                .distinct()
                .collect(Collectors.joining("; "));
        String message = failures.size() + " of " + size() + " nodes have no say, and a lock needs " + majority
                + " that agree: " + reasons;
        long refused =
                failures.stream().filter(RefusedException.class::isInstance).count();
        if (size() - refused < majority) {
            return new RefusedException(message, failures.get(0));
        }
        return failures.stream().allMatch(Member::isProof)
                ? new NotSentException(message, failures.get(0))
                : new TimeoutException(message);
    }

    static long[] sorted(long... values) {
        long[] copy = values.clone();
        Arrays.sort(copy);
        return copy;
    }
}

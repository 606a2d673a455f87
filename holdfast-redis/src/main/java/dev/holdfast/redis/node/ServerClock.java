package dev.holdfast.redis.node;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What we know of one server's clock. An answer that carries the server's time was made after we sent the request and
 * before we received the answer, which bounds the difference of the clocks from both sides; between samples they drift
 * apart by at most one percent. Every bound is taken on the side that errs towards giving up.
 *
 * <p>Safe for use by many threads. Losing a sample to a race costs precision, not safety.
 */
public final class ServerClock {
    private static final long DRIFT_PARTS = 100;

    private record Sample(String runId, long sentNanos, long receivedNanos, long serverMicros) {
        /** How wide the bounds have become. */
        long uncertaintyNanos(long nowNanos) {
            return receivedNanos - sentNanos + (nowNanos - receivedNanos) / DRIFT_PARTS;
        }

        /** The server's clock shows at least this. */
        long earliestMicros(long nowNanos) {
            // Negative if the answer was heard after one to a later request: then it showed less, and we cannot say how
            // much.
            long since = nowNanos - receivedNanos;
            return serverMicros + Math.floorDiv(since - Math.abs(since) / DRIFT_PARTS, 1000L);
        }

        /** The server's clock shows at most this. */
        long latestMicros(long nowNanos) {
            long since = nowNanos - sentNanos;
            return serverMicros + Math.floorDiv(since + Math.abs(since) / DRIFT_PARTS, 1000L) + 1;
        }
    }

    private volatile @Nullable Sample best;

    /** Answers by how many microseconds the server's clock has stepped since the last sample; zero if it has not. */
    public long sample(String runId, long sentNanos, long receivedNanos, long serverMicros) {
        Sample known = best;
        long step = known == null || !known.runId.equals(runId)
                ? 0
                : Math.min(0, serverMicros - known.earliestMicros(sentNanos))
                        + Math.max(0, serverMicros - known.latestMicros(receivedNanos));
        if (known == null
                || !known.runId.equals(runId)
                || receivedNanos - sentNanos <= known.uncertaintyNanos(receivedNanos)
                // The clock was set: what we knew is void.
                || step != 0) {
            best = new Sample(runId, sentNanos, receivedNanos, serverMicros);
        }
        return step;
    }

    /**
     * The server's time at which a request that is sent now must not be carried out any more. Zero without a sample of
     * that server: then the request is refused, and the refusal brings one.
     */
    public long notAfterMicros(String runId, long nowNanos, Duration timeout) {
        Sample known = best;
        if (known == null || !known.runId.equals(runId)) {
            return 0;
        }
        return known.earliestMicros(nowNanos) + timeout.toNanos() / 1000;
    }

    /** What the server's clock shows, as well as we can tell; zero without a sample. */
    public long estimateMicros(long nowNanos) {
        Sample known = best;
        return known == null ? 0 : (known.earliestMicros(nowNanos) + known.latestMicros(nowNanos)) / 2;
    }

    /** Whether that server's clock certainly shows less than this. */
    public boolean isAhead(String runId, long micros, long nowNanos) {
        Sample known = best;
        return known != null && known.runId.equals(runId) && micros > known.latestMicros(nowNanos);
    }

    /**
     * At most this long ago the server's clock showed that time; negative if nothing can be said.
     *
     * @param freshNanos a sample older than this does not count
     */
    public long ageNanos(String runId, long serverMicros, long nowNanos, long freshNanos) {
        Sample known = best;
        if (known == null || !known.runId.equals(runId) || nowNanos - known.sentNanos > freshNanos) {
            return -1;
        }
        // A negative age means that the clock was set forward since the sample: nothing can be said either.
        return (known.latestMicros(nowNanos) - serverMicros) * 1000;
    }
}

package dev.holdfast.jdbc.sql;

import org.jspecify.annotations.Nullable;

/**
 * What we know of the clock of the database, to tell it until when an acquire may be executed. Only that depends on it: a
 * wrong guess makes the database refuse, and the refusal carries the right time.
 */
public final class ServerClock {
    private record Sample(long sentNanos, long serverMicros) {}

    private final long patienceMicros;
    private volatile @Nullable Sample newest;

    public ServerClock(long patienceMicros) {
        this.patienceMicros = patienceMicros;
    }

    /** An answer came. The server read its clock after we sent, so from now on we can only overestimate it. */
    public void sample(long sentNanos, long serverMicros) {
        newest = new Sample(sentNanos, serverMicros);
    }

    /** For a request that is sent now. Without a sample: in the past, so that the refusal brings one. */
    public long notAfterMicros(long nowNanos) {
        Sample known = newest;
        return known == null ? 0 : known.serverMicros() + (nowNanos - known.sentNanos()) / 1_000 + patienceMicros;
    }
}

package dev.holdfast.redis;

import dev.holdfast.Severity;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.spi.Environment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Says when a server may remove held locks to make room: on connecting, and when that changes, because it can be set at run
 * time. Looks once a minute at most, by one INFO, and only while the client is in use.
 */
final class EvictionWatch {
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final RedisNode node;
    private final Environment environment;
    private final BiConsumer<Severity, String> report;
    /** What was last compared; null before the first time. */
    private final AtomicReference<@Nullable MemoryPolicy> last = new AtomicReference<>();
    /** Whether a look is planned or under way. Racy, and benign: two threads at once may plan two. */
    private volatile boolean planned;

    private volatile boolean closed;

    EvictionWatch(RedisNode node, Environment environment, BiConsumer<Severity, String> report) {
        this.node = node;
        this.environment = environment;
        this.report = report;
    }

    /** The server was asked on connecting, so this costs nothing. */
    void connected() {
        compare();
    }

    /** The client does something. An idle one sends nothing. */
    void used() {
        if (!planned && !closed) {
            planned = true;
            environment.schedule(PERIOD_NANOS, this::look);
        }
    }

    private void look() {
        if (closed) {
            return;
        }
        node.identify().whenComplete((identity, failure) -> {
            planned = false;
            // A server that cannot be asked now is compared when it is back.
            if (failure == null) {
                compare();
            }
        });
    }

    private void compare() {
        MemoryPolicy now = node.memory();
        MemoryPolicy before = last.getAndSet(now);
        if (!now.known()) {
            if (before == null) {
                report.accept(
                        Severity.WARNING,
                        "Whether this server removes keys when its memory is full cannot be seen: the user may not run"
                                + " INFO, or the server does not say. Permit +info, or make sure that maxmemory-policy is noeviction:"
                                + " with any other a held lock may vanish.");
            }
            return;
        }
        MemoryPolicy known = before == null ? MemoryPolicy.UNKNOWN : before;
        if (now.mayEvict() && !(known.mayEvict() && known.policy().equals(now.policy()))) {
            report.accept(Severity.DANGER, now.danger() + " " + MemoryPolicy.REMEDY);
        } else if (known.mayEvict() && !now.mayEvict()) {
            report.accept(Severity.NOTE, "The server no longer removes keys when its memory is full.");
        }
        long evicted = before == null || !before.known() ? 0 : now.evictedSince(before);
        if (evicted > 0) {
            report.accept(
                    Severity.DANGER,
                    "The server has removed " + evicted + " keys to make room since the last look: held locks may have"
                            + " been among them, and then somebody else may hold them, too.");
        }
    }

    void close() {
        closed = true;
    }
}

package dev.holdfast.micrometer;

import dev.holdfast.BackendNotice;
import dev.holdfast.FencingToken;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.LockState;
import dev.holdfast.Loss;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;

/**
 * Meters for the locks of a {@link Holdfast}.
 *
 * <pre>{@code
 * HoldfastMetrics metrics = HoldfastMetrics.of(registry);
 * Holdfast holdfast = Holdfast.builder(backend).listener(metrics).build();
 * metrics.watch(holdfast);
 * }</pre>
 *
 * <p>A lock's name is never a tag. The tag {@code lock} is what stands before the first colon of the name, or what a function
 * of yours makes of it; after 100 different ones the rest is "other". The tag {@code kind} is lock, semaphore or
 * read-write-lock. Safe for use by many threads, and for several
 * Holdfasts.
 */
public final class HoldfastMetrics implements LockListener {
    private final MeterRegistry registry;
    private final Tags common;
    private final LockTags lockTags;
    private final ConcurrentMap<Tagged, Meters> meters = new ConcurrentHashMap<>();

    private HoldfastMetrics(Builder builder) {
        registry = builder.registry;
        common = builder.tags;
        lockTags = new LockTags(builder.lockTag);
    }

    /** Meters with all defaults. */
    public static HoldfastMetrics of(MeterRegistry registry) {
        return builder(registry).build();
    }

    /** Returns a builder with the defaults. */
    public static Builder builder(MeterRegistry registry) {
        return new Builder(registry);
    }

    /** Adds gauges for what this Holdfast holds and waits for. They are kept for as long as somebody keeps the Holdfast. */
    public void watch(Holdfast holdfast) {
        gauge(
                "holdfast.locks.held",
                "Leases that are open in this process",
                holdfast,
                each -> each.activity().held());
        gauge(
                "holdfast.locks.waiting",
                "Callers in this process that wait for a lock",
                holdfast,
                each -> each.activity().waiting());
    }

    private void gauge(String name, String description, Holdfast holdfast, ToDoubleFunction<Holdfast> value) {
        Gauge.builder(name, holdfast, value)
                .description(description)
                .tags(common)
                .register(registry);
    }

    // ---- what the Holdfast tells

    @Override
    public void acquired(LockKey lock, FencingToken token, Duration waited) {
        of(lock).acquired.record(waited);
    }

    @Override
    public void gaveUp(LockKey lock, Duration waited) {
        of(lock).gaveUp.record(waited);
    }

    @Override
    public void refused(LockKey lock) {
        of(lock).refused.record(Duration.ZERO);
    }

    @Override
    public void unavailable(LockKey lock, Duration waited, Throwable cause) {
        of(lock).unavailable.record(waited);
    }

    @Override
    public void released(LockKey lock, FencingToken token, Duration held) {
        of(lock).released.record(held);
    }

    @Override
    public void lost(Loss loss) {
        Meters found = of(loss.lock());
        (loss.kind() == Loss.Kind.EXPIRED ? found.expired : found.lost).record(loss.heldFor());
    }

    @Override
    public void renewed(LockKey lock, FencingToken token) {
        of(lock).renewed.increment();
    }

    @Override
    public void renewalFailed(LockKey lock, FencingToken token, Throwable cause) {
        of(lock).unanswered.increment();
    }

    @Override
    public void broken(LockState ended, Holder by) {
        of(ended.key()).broken.increment();
    }

    @Override
    public void notice(BackendNotice notice) {
        Counter.builder("holdfast.backend.notices")
                .description("What the backend said without being asked")
                .tags(common.and("severity", notice.severity().name().toLowerCase(Locale.ROOT)))
                .register(registry)
                .increment();
    }

    private Meters of(LockKey key) {
        Tagged tagged = new Tagged(LockTags.kind(key.kind()), lockTags.of(key.name()));
        return meters.computeIfAbsent(
                tagged, each -> new Meters(registry, common.and("kind", each.kind(), "lock", each.lock())));
    }

    private record Tagged(String kind, String lock) {}

    /** The meters of one kind and tag. All of them are there from the first event on, so that a rate can be read from the first count. */
    private static final class Meters {
        private final MeterRegistry registry;
        private final Tags tags;
        private final Timer acquired;
        private final Timer gaveUp;
        private final Timer refused;
        private final Timer unavailable;
        private final Timer released;
        private final Timer expired;
        private final Timer lost;
        private final Counter renewed;
        private final Counter unanswered;
        private final Counter broken;

        Meters(MeterRegistry registry, Tags tags) {
            this.registry = registry;
            this.tags = tags;
            acquired = wait("acquired");
            gaveUp = wait("gave_up");
            refused = wait("refused");
            unavailable = wait("unavailable");
            released = held("released");
            expired = held("expired");
            lost = held("lost");
            renewed = renewals("renewed");
            unanswered = renewals("unanswered");
            broken = Counter.builder("holdfast.locks.broken")
                    .description("Tenures that an operator ended through this process")
                    .tags(tags)
                    .register(registry);
        }

        private Timer wait(String outcome) {
            return Timer.builder("holdfast.lock.wait")
                    .description("How long callers waited for a lock, and how that ended")
                    .tags(tags.and("outcome", outcome))
                    .register(registry);
        }

        private Timer held(String outcome) {
            return Timer.builder("holdfast.lock.held")
                    .description("How long leases were held, and how they ended")
                    .tags(tags.and("outcome", outcome))
                    .register(registry);
        }

        private Counter renewals(String outcome) {
            return Counter.builder("holdfast.lock.renewals")
                    .description("Renewals of leases, and whether the backend answered")
                    .tags(tags.and("outcome", outcome))
                    .register(registry);
        }
    }

    /** Sets what differs from the defaults. */
    public static final class Builder {
        private final MeterRegistry registry;
        private Tags tags = Tags.empty();
        private UnaryOperator<String> lockTag = LockTags::beforeColon;

        private Builder(MeterRegistry registry) {
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        /** Tags for all meters, such as the name of the backend where a process uses several. */
        public Builder tags(Tags tags) {
            this.tags = Objects.requireNonNull(tags, "tags");
            return this;
        }

        /**
         * Makes the tag {@code lock} from a lock's name. Let it return few different values: of more than 100 the rest becomes
         * "other", as does an empty one.
         */
        public Builder lockTag(UnaryOperator<String> function) {
            this.lockTag = Objects.requireNonNull(function, "function");
            return this;
        }

        public HoldfastMetrics build() {
            return new HoldfastMetrics(this);
        }
    }
}

package dev.holdfast.redis.lettuce;

import dev.holdfast.spi.Environment;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for an answer, in the order in which they were sent. All have the same time, so the first is
 * the first to run out of it, and one timer is enough for all.
 */
final class RequestTimeouts {
    private final Environment environment;
    private final long timeoutNanos;
    private final ConcurrentLinkedQueue<Request> sent = new ConcurrentLinkedQueue<>();
    /** Whether the timer is set, for the end of the first request or earlier. */
    private final AtomicBoolean armed = new AtomicBoolean();

    RequestTimeouts(Environment environment, Duration timeout) {
        this.environment = environment;
        this.timeoutNanos = timeout.toNanos();
    }

    /** Before it is sent. */
    void add(Request request) {
        request.deadlineNanos = environment.nanoTime() + timeoutNanos;
        sent.add(request);
        if (!armed.get() && armed.compareAndSet(false, true)) {
            environment.schedule(timeoutNanos, this::look);
        }
    }

    /** After an answer. Answers come nearly in the order of the requests, so what is done is in front. */
    void forgetAnswered() {
        first();
    }

    private void look() {
        Request first = first();
        while (first != null && first.deadlineNanos - environment.nanoTime() <= 0) {
            first.completeExceptionally(new RedisCommandTimeoutException("no answer in time"));
            first = first();
        }
        if (first != null) {
            again(first);
            return;
        }
        armed.set(false);
        // A request that was added before that line found the timer set.
        first = first();
        if (first != null && armed.compareAndSet(false, true)) {
            again(first);
        }
    }

    private void again(Request first) {
        environment.schedule(Math.max(0, first.deadlineNanos - environment.nanoTime()), this::look);
    }

    /** The first that is not done. */
    private @Nullable Request first() {
        Request first = sent.peek();
        while (first != null && first.isDone()) {
            sent.remove(first);
            first = sent.peek();
        }
        return first;
    }
}

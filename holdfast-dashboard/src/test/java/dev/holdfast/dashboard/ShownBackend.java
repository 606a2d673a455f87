package dev.holdfast.dashboard;

import dev.holdfast.LockState;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A store in memory that counts how often it is listed, and shows other locks than it has if they are given. */
final class ShownBackend {
    final AtomicInteger lists = new AtomicInteger();
    final AtomicInteger diagnoses = new AtomicInteger();
    volatile List<LockState> shown = List.of();
    /** How long the next list takes. */
    final AtomicReference<Duration> slow = new AtomicReference<>(Duration.ZERO);
    /** Locks are broken, and nobody is told. */
    volatile boolean losesAnswers;

    LockBackend backend() {
        InMemoryBackend memory = new InMemoryBackend();
        return (LockBackend) Proxy.newProxyInstance(
                ShownBackend.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("diagnose")) {
                        diagnoses.incrementAndGet();
                    }
                    if (method.getName().equals("list")) {
                        lists.incrementAndGet();
                        Duration takes = slow.getAndSet(Duration.ZERO);
                        if (!takes.isZero()) {
                            return CompletableFuture.supplyAsync(
                                    () -> shown,
                                    CompletableFuture.delayedExecutor(takes.toMillis(), TimeUnit.MILLISECONDS));
                        }
                        if (!shown.isEmpty()) {
                            return CompletableFuture.completedFuture(shown);
                        }
                    }
                    try {
                        Object answer = method.invoke(memory, arguments);
                        return losesAnswers && method.getName().equals("breakLock")
                                ? CompletableFuture.failedFuture(new IOException("connection lost"))
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}

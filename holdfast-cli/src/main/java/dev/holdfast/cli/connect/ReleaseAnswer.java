package dev.holdfast.cli.connect;

import dev.holdfast.spi.LockBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Listens to what a store answers to the release of a lock. "Not yours any more" means that somebody broke the lock, or that
 * the store lost it, since the last renewal. The library keeps that answer to itself: a release that was sent twice brings
 * it as well. We send one release at a time.
 */
public final class ReleaseAnswer {
    /** At once, or after the rest of --min-hold. */
    private static final Set<String> RELEASES = Set.of("release", "releaseLater");

    private final LockBackend listened;
    // Written by the thread that brings the answer, before the release is reported as done.
    private volatile boolean notOurs;

    ReleaseAnswer(LockBackend backend) {
        // A proxy, so that whatever else the interface has or gets goes to the backend itself.
        this.listened = (LockBackend) Proxy.newProxyInstance(
                LockBackend.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (proxy, method, arguments) -> {
                    Object answer;
                    try {
                        answer = method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                    return RELEASES.contains(method.getName()) && answer instanceof CompletionStage<?> stage
                            ? stage.thenApply(this::heard)
                            : answer;
                });
    }

    private Object heard(Object wasOurs) {
        if (wasOurs.equals(false)) {
            notOurs = true;
        }
        return wasOurs;
    }

    /** The same backend. */
    LockBackend backend() {
        return listened;
    }

    /** Before another lock is held: what was said concerns the one before. */
    public void forget() {
        notOurs = false;
    }

    /** Whether the store has said that a lock which was to be released was not ours any more. */
    public boolean saidNotOurs() {
        return notOurs;
    }
}

package dev.holdfast.tck;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.LockBackend;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A store whose contact breaks at every second hand-over: the push does not arrive, and everybody is told to ask again. */
final class Interrupted extends PassingOn {
    private final AtomicInteger pushes;

    /** @param pushes of all clients of the store */
    Interrupted(LockBackend right, AtomicInteger pushes) {
        super(right);
        this.pushes = pushes;
    }

    @Override
    public void open(Environment environment, Events events) {
        right.open(
                environment,
                instead(
                        events,
                        () -> pushes.incrementAndGet() % 2 == 1,
                        () -> events.recheckAll("contact was broken")));
    }

    /** Passes everything on but some grants, instead of which something else happens. */
    static Events instead(Events events, BooleanSupplier lost, Runnable other) {
        return (Events) Proxy.newProxyInstance(
                Events.class.getClassLoader(), new Class<?>[] {Events.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("granted") && lost.getAsBoolean()) {
                        other.run();
                        return null;
                    }
                    return method.invoke(events, arguments);
                });
    }
}

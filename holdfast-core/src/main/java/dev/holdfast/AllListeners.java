package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Tells several listeners, one after the other. */
final class AllListeners implements LockListener {
    private final List<LockListener> listeners;

    AllListeners(List<LockListener> listeners) {
        this.listeners = listeners;
    }

    /** What one throws, whoever called us shall see; but only after everybody has heard. */
    private void each(Consumer<LockListener> event) {
        Throwable first = null;
        for (LockListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw new IllegalStateException("A listener threw: " + first, first);
        }
    }

    @Override
    public void waiting(String name) {
        each(listener -> listener.waiting(name));
    }

    @Override
    public void gaveUp(String name, Duration waited) {
        each(listener -> listener.gaveUp(name, waited));
    }

    @Override
    public void refused(String name) {
        each(listener -> listener.refused(name));
    }

    @Override
    public void unavailable(String name, Duration waited, Throwable cause) {
        each(listener -> listener.unavailable(name, waited, cause));
    }

    @Override
    public void acquired(String name, FencingToken token, Duration waited) {
        each(listener -> listener.acquired(name, token, waited));
    }

    @Override
    public void released(String name, FencingToken token, Duration held) {
        each(listener -> listener.released(name, token, held));
    }

    @Override
    public void lost(Loss loss) {
        each(listener -> listener.lost(loss));
    }

    @Override
    public void renewed(String name, FencingToken token) {
        each(listener -> listener.renewed(name, token));
    }

    @Override
    public void renewalFailed(String name, FencingToken token, Throwable cause) {
        each(listener -> listener.renewalFailed(name, token, cause));
    }

    @Override
    public void broken(LockState ended, Holder by) {
        each(listener -> listener.broken(ended, by));
    }

    @Override
    public void notice(BackendNotice notice) {
        each(listener -> listener.notice(notice));
    }
}

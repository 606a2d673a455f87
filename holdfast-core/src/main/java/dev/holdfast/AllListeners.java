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
    public void waiting(LockKey lock) {
        each(listener -> listener.waiting(lock));
    }

    @Override
    public void gaveUp(LockKey lock, Duration waited) {
        each(listener -> listener.gaveUp(lock, waited));
    }

    @Override
    public void refused(LockKey lock) {
        each(listener -> listener.refused(lock));
    }

    @Override
    public void unavailable(LockKey lock, Duration waited, Throwable cause) {
        each(listener -> listener.unavailable(lock, waited, cause));
    }

    @Override
    public void acquired(LockKey lock, FencingToken token, Duration waited) {
        each(listener -> listener.acquired(lock, token, waited));
    }

    @Override
    public void released(LockKey lock, FencingToken token, Duration held) {
        each(listener -> listener.released(lock, token, held));
    }

    @Override
    public void lost(Loss loss) {
        each(listener -> listener.lost(loss));
    }

    @Override
    public void renewed(LockKey lock, FencingToken token) {
        each(listener -> listener.renewed(lock, token));
    }

    @Override
    public void renewalFailed(LockKey lock, FencingToken token, Throwable cause) {
        each(listener -> listener.renewalFailed(lock, token, cause));
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

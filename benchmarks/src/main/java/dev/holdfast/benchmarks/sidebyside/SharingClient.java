package dev.holdfast.benchmarks.sidebyside;

/** A client made of what acquires and what closes it. */
public record SharingClient(Acquiring acquiring, Runnable closing) implements Peer.Client {
    /** Waits until it is held. */
    public interface Acquiring {
        Peer.Held lock(String name) throws Exception;
    }

    @Override
    public Peer.Held lock(String name) throws Exception {
        return acquiring.lock(name);
    }

    @Override
    public void close() {
        closing.run();
    }
}

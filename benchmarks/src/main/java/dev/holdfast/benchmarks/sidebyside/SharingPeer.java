package dev.holdfast.benchmarks.sidebyside;

import java.util.List;

/** A peer made of what connects it. */
public record SharingPeer(String name, String setUp, Opening opening) implements Peer {
    /** Connects one process's worth of it. */
    public interface Opening {
        Client open(List<String> urls) throws Exception;
    }

    @Override
    public Client connect(List<String> urls) throws Exception {
        return opening.open(urls);
    }
}

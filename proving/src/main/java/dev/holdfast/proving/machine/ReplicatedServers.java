package dev.holdfast.proving.machine;

import java.io.IOException;

/** Servers of which a replica takes over when the master is gone. For one thread at a time. */
public interface ReplicatedServers extends StoreServers {
    /** From here on the replica hears nothing, until the master is gone. */
    void holdBackReplication() throws IOException;

    void killMaster() throws IOException;

    /** It stands still, and goes on when {@link #awaitSuccessor} has seen another one. */
    void freezeMaster() throws IOException;

    /** Blocks until another server is the master. */
    void awaitSuccessor() throws IOException;

    /** Blocks until everybody runs, and the former master follows the new one. */
    void restore() throws IOException;
}

package dev.holdfast.proving.machine;

import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.StagedFailover;
import java.io.IOException;
import java.util.function.Supplier;

/** Redis servers with replicas, on which failovers are played. */
abstract class ReplicatedRedis implements ReplicatedServers {
    private final StagedFailover failover;
    private final String name;
    private final Supplier<RedisServer> anyMaster;

    /** @param name a lock that is kept by the master that is hit */
    ReplicatedRedis(StagedFailover failover, String name, Supplier<RedisServer> anyMaster) {
        this.failover = failover;
        this.name = name;
        this.anyMaster = anyMaster;
    }

    /** The failover itself has waited for all of them. */
    @Override
    public boolean areRunning() {
        return true;
    }

    /** Clients ask the servers where to go. */
    @Override
    public boolean areReachedByPort() {
        return false;
    }

    @Override
    public String version() {
        return RedisServers.version(anyMaster.get().text("INFO", "server"));
    }

    @Override
    public void holdBackReplication() throws IOException {
        carryOut(() -> failover.holdBackReplication(name));
    }

    @Override
    public void killMaster() throws IOException {
        carryOut(() -> failover.kill(name));
    }

    @Override
    public void freezeMaster() throws IOException {
        carryOut(() -> failover.freeze(name));
    }

    @Override
    public void awaitSuccessor() throws IOException {
        carryOut(() -> failover.takeOver(name));
    }

    @Override
    public void restore() throws IOException {
        carryOut(failover::restore);
    }

    /** What does not happen in time is an error of a test there. Here the trial is played again on new servers. */
    private static void carryOut(Runnable step) throws IOException {
        try {
            step.run();
        } catch (AssertionError late) {
            throw new IOException(late.getMessage(), late);
        }
    }
}

package dev.holdfast.cli;

import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.spi.LockBackend;

/** A quorum of Redis servers. */
record RedlockStore(String url) implements Store {
    @Override
    public String label() {
        return Stores.withoutPassword(url);
    }

    @Override
    public LockBackend backend() {
        return RedlockBackend.connect(url);
    }

    @Override
    public String initialise() {
        try {
            RedlockBackend.initialise(url);
        } catch (IllegalStateException occupied) {
            throw new CliException(ExitCode.NO, String.valueOf(occupied.getMessage()));
        }
        return "The servers at " + label() + " vote from now on.";
    }
}

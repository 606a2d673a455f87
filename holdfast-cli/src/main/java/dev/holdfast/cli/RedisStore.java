package dev.holdfast.cli;

import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;

/** One Redis server. */
record RedisStore(String url) implements Store {
    @Override
    public String label() {
        return Stores.withoutPassword(url);
    }

    @Override
    public LockBackend backend() {
        return RedisBackend.connect(url);
    }

    @Override
    public String initialise() {
        backend().close();
        return "Nothing to do: one Redis server needs no preparation, and this one answers.";
    }
}

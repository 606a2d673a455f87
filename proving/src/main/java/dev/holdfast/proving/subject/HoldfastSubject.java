package dev.holdfast.proving.subject;

import dev.holdfast.Holdfast;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;

/** Holdfast on one of its stores. */
final class HoldfastSubject implements Subject {
    private final String id;
    private final Store store;
    private final String setUp;
    private final Promise promise;
    private final Connecting connecting;
    private final Duration dead;

    /** Opens a backend. */
    interface Connecting {
        LockBackend connect(Target target);
    }

    /** @param dead how much longer than a lease the store keeps the lock of a process that died, by its documents */
    HoldfastSubject(String id, Store store, String setUp, Duration dead, Promise promise, Connecting connecting) {
        this.id = id;
        this.store = store;
        this.setUp = setUp;
        this.dead = dead;
        this.promise = promise;
        this.connecting = connecting;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String title() {
        return "Holdfast, " + store.title();
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public String version() {
        return "Holdfast " + Versions.of(Holdfast.class);
    }

    @Override
    public String setUp() {
        return setUp;
    }

    @Override
    public Promise promise() {
        return promise;
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return true;
    }

    @Override
    public Duration freeAfter(Duration lease) {
        return lease.plus(dead);
    }

    @Override
    public String redisKey(String name) {
        return Keys.standard().lock(name);
    }

    @Override
    public LockClient connect(Target target) {
        return new HoldfastClient(Holdfast.builder(connecting.connect(target))
                .lease(target.lease())
                .maxLease(target.lease())
                .build());
    }
}

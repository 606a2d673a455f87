package dev.holdfast.redis;

import dev.holdfast.LockKey;
import dev.holdfast.redis.node.Script;

/** The scripts of each kind, for what is done to one claim or one tenure. Their keys: see {@link dev.holdfast.redis.node.Keys}. */
enum Steps {
    OF_LOCKS(Script.ACQUIRE, Script.RELEASE, Script.WITHDRAW, Script.HANDOVER, Script.BREAK),
    OF_SEMAPHORES(
            Script.SEMAPHORE_ACQUIRE,
            Script.SEMAPHORE_RELEASE,
            Script.SEMAPHORE_WITHDRAW,
            Script.SEMAPHORE_HANDOVER,
            Script.SEMAPHORE_BREAK),
    OF_READ_WRITE_LOCKS(Script.RW_ACQUIRE, Script.RW_RELEASE, Script.RW_WITHDRAW, Script.RW_HANDOVER, Script.RW_BREAK);

    final Script acquire;
    final Script release;
    final Script withdraw;
    final Script handOver;
    final Script breakTenure;

    Steps(Script acquire, Script release, Script withdraw, Script handOver, Script breakTenure) {
        this.acquire = acquire;
        this.release = release;
        this.withdraw = withdraw;
        this.handOver = handOver;
        this.breakTenure = breakTenure;
    }

    /** @param key as in {@link LockKey} */
    static Steps of(String key) {
        return switch (LockKey.kindOf(key)) {
            case LOCK -> OF_LOCKS;
            case SEMAPHORE -> OF_SEMAPHORES;
            case READ_WRITE_LOCK -> OF_READ_WRITE_LOCKS;
        };
    }
}

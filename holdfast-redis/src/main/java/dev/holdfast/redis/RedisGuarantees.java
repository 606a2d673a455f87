package dev.holdfast.redis;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Failover;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKind;
import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Topology;
import org.jspecify.annotations.Nullable;

/** What locks in Redis promise, for each topology. */
final class RedisGuarantees {
    private RedisGuarantees() {}

    static Guarantees of(Topology.Kind kind, @Nullable Confirmation confirmation) {
        boolean failsOver = kind != Topology.Kind.SINGLE;
        String loss = !failsOver
                ? "not a server that loses its memory"
                : confirmation == null
                        ? "not a failover to a replica that never saw the lock"
                        : "not a failover to a replica that is none of the " + confirmation.replicas()
                                + " that confirmed the lock";
        return Guarantees.builder()
                .exclusion("crashes and pauses of clients, and a broken network; " + loss)
                .tokenSource("a counter per bucket at the server, never behind the server's clock")
                .waking(Waking.HAND_OVER)
                .fair(true)
                .heldAtLeast(true)
                .offers(LockKind.SEMAPHORE)
                .offers(LockKind.READ_WRITE_LOCK)
                .failover(failsOver ? Failover.TOLD : Failover.NONE)
                .build();
    }
}

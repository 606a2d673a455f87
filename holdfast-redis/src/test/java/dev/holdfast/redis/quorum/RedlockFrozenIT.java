package dev.holdfast.redis.quorum;

import dev.holdfast.redis.testing.Fault;

class RedlockFrozenIT extends MinorityContract {
    RedlockFrozenIT() {
        super(Fault.FROZEN);
    }
}

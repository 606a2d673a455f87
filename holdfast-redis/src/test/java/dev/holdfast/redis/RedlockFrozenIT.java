package dev.holdfast.redis;

import dev.holdfast.redis.testing.Fault;

class RedlockFrozenIT extends MinorityContract {
    RedlockFrozenIT() {
        super(Fault.FROZEN);
    }
}

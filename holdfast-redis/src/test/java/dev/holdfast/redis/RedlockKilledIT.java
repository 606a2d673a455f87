package dev.holdfast.redis;

import dev.holdfast.redis.testing.Fault;

class RedlockKilledIT extends MinorityContract {
    RedlockKilledIT() {
        super(Fault.KILLED);
    }
}

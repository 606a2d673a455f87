package dev.holdfast.redis;

import dev.holdfast.redis.testing.Fault;

class RedlockSwallowedIT extends MinorityContract {
    RedlockSwallowedIT() {
        super(Fault.SWALLOWED);
    }
}

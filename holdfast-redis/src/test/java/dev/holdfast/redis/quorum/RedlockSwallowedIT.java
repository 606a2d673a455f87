package dev.holdfast.redis.quorum;

import dev.holdfast.redis.testing.Fault;

class RedlockSwallowedIT extends MinorityContract {
    RedlockSwallowedIT() {
        super(Fault.SWALLOWED);
    }
}

package dev.holdfast.redis.quorum;

import dev.holdfast.redis.testing.Fault;

class RedlockKilledIT extends MinorityContract {
    RedlockKilledIT() {
        super(Fault.KILLED);
    }
}

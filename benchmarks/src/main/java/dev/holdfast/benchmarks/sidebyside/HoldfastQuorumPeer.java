package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.redis.RedlockBackend;
import java.util.List;

/** @param cohort how many leases in a row stay in one process; 1 is off */
record HoldfastQuorumPeer(String name, int cohort) implements Peer {
    @Override
    public String setUp() {
        return "RedlockBackend over all servers, cohort " + cohort + ", else all defaults";
    }

    @Override
    public Client connect(List<String> urls) {
        return HoldfastPeer.client(RedlockBackend.builder(urls).connect(), cohort);
    }
}

package dev.holdfast.benchmarks.zookeeper;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.benchmarks.Contender;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.time.Duration;

final class HoldfastContender implements Contender {
    private final Holdfast holdfast;

    HoldfastContender(String address) {
        holdfast = Holdfast.over(ZooKeeperBackend.builder(address)
                .tickTime(Duration.ofMillis(Servers.TICK_MILLIS))
                .connect());
    }

    @Override
    public String name() {
        return "Holdfast";
    }

    @Override
    public Runnable lock(String name) throws InterruptedException {
        Lease lease = holdfast.lock(name).acquire();
        return lease::close;
    }

    @Override
    public void close() {
        holdfast.close();
    }
}

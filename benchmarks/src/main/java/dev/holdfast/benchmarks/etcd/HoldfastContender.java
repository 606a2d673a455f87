package dev.holdfast.benchmarks.etcd;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.benchmarks.Contender;
import dev.holdfast.etcd.EtcdBackend;

final class HoldfastContender implements Contender {
    private final Holdfast holdfast;

    HoldfastContender(String address) {
        holdfast = Holdfast.over(EtcdBackend.connect("etcd://" + address));
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

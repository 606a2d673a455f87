package dev.holdfast.benchmarks.etcd;

import dev.holdfast.benchmarks.Contender;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;

final class JetcdContender implements Contender {
    private final Client client;
    // Its locks belong to a lease: threads that share one share the lock.
    private final ThreadLocal<Long> leases = ThreadLocal.withInitial(this::newLease);

    JetcdContender(String address) {
        client = Client.builder().endpoints("http://" + address).build();
    }

    private Long newLease() {
        long lease = client.getLeaseClient().grant(30).join().getID();
        client.getLeaseClient().keepAlive(lease, new StreamObserver<>() {
            @Override
            public void onNext(LeaseKeepAliveResponse answer) {}

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        });
        return lease;
    }

    @Override
    public String name() {
        return "jetcd Lock";
    }

    @Override
    public Runnable lock(String name) throws Exception {
        ByteSequence key = client.getLockClient()
                .lock(ByteSequence.from(name, StandardCharsets.UTF_8), leases.get())
                .get()
                .getKey();
        return () -> client.getLockClient().unlock(key).join();
    }

    @Override
    public void close() {
        client.close();
    }
}

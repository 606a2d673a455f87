package dev.holdfast.benchmarks.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.benchmarks.Contender;
import dev.holdfast.etcd.rpc.Compare;
import dev.holdfast.etcd.rpc.DeleteRangeRequest;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.LeaseGrantRequest;
import dev.holdfast.etcd.rpc.LeaseGrpc;
import dev.holdfast.etcd.rpc.PutRequest;
import dev.holdfast.etcd.rpc.RequestOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import io.grpc.ManagedChannel;
import io.grpc.okhttp.OkHttpChannelBuilder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** The least that a lock could do: one transaction to take a key, one to give it back. Nobody waits, nothing is renewed. */
final class BareContender implements Contender {
    /** The transport hangs up once the server has sent it 10 000 pings, at most one for each request. */
    private static final int REQUESTS_OF_A_CHANNEL = 4_000;

    private final String address;
    private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final long lease;
    private volatile KVGrpc.KVBlockingStub current;

    BareContender(String address) {
        this.address = address;
        current = newChannel();
        lease = LeaseGrpc.newBlockingStub(current.getChannel())
                .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(3600).build())
                .getID();
    }

    private KVGrpc.KVBlockingStub newChannel() {
        ManagedChannel channel = OkHttpChannelBuilder.forTarget(address)
                .usePlaintext()
                .disableRetry()
                .build();
        channels.add(channel);
        return KVGrpc.newBlockingStub(channel);
    }

    private KVGrpc.KVBlockingStub keys() {
        if (asked.incrementAndGet() % REQUESTS_OF_A_CHANNEL == 0) {
            current = newChannel();
        }
        return current;
    }

    @Override
    public String name() {
        return "bare transactions";
    }

    @Override
    public Runnable lock(String name) {
        ByteString key = ByteString.copyFromUtf8("bare/" + name + "/"
                + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        TxnRequest take = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setTarget(Compare.CompareTarget.CREATE)
                        .setKey(key)
                        .setCreateRevision(0))
                .addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setKey(key).setLease(lease)))
                .build();
        if (!keys().txn(take).getSucceeded()) {
            throw new IllegalStateException("Taken: " + name);
        }
        TxnRequest give = TxnRequest.newBuilder()
                .addSuccess(RequestOp.newBuilder()
                        .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key)))
                .build();
        return () -> keys().txn(give);
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }
}

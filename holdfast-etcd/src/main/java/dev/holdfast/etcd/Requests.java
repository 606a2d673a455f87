package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.rpc.Compare;
import dev.holdfast.etcd.rpc.DeleteRangeRequest;
import dev.holdfast.etcd.rpc.PutRequest;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.etcd.rpc.RangeRequest.SortOrder;
import dev.holdfast.etcd.rpc.RangeRequest.SortTarget;
import dev.holdfast.etcd.rpc.RequestOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import java.util.List;

/**
 * What is sent. Every read is linearizable, and every transaction has a read in it: one with comparisons alone is answered by a
 * member from what it happens to know.
 */
final class Requests {
    /** Servers take 128 steps in a transaction, unless they are set to more. */
    static final int MOST_STEPS = 100;

    private Requests() {}

    // ---- claims

    /** Takes the lock if nobody is there. Otherwise the only response is that of {@link #join}. */
    static TxnRequest enter(ByteString queue, ByteString key, ByteString value, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(isEmpty(queue))
                .addSuccess(put(key, value, lease.id))
                .addFailure(RequestOp.newBuilder().setRequestTxn(join(queue, key, value, lease)))
                .build();
    }

    /** Joins the queue, if the guard stands and the claim is not there yet. Tells the last two in the queue, and the first. */
    private static TxnRequest join(ByteString queue, ByteString key, ByteString value, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(created(key, 0))
                .addSuccess(put(key, value, lease.id))
                .addSuccess(op(last(queue, 2)))
                .addSuccess(op(first(queue).build()))
                .addFailure(op(exists(key)))
                .addFailure(op(exists(lease.guard)))
                .build();
    }

    /** The same, and leaves the place that was held, if it is there. */
    static TxnRequest replace(
            ByteString held, long heldRevision, ByteString queue, ByteString key, ByteString value, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(created(key, 0))
                .addCompare(created(held, heldRevision))
                .addSuccess(delete(held))
                .addSuccess(put(key, value, lease.id))
                .addSuccess(op(last(queue, 2)))
                .addSuccess(op(first(queue).build()))
                .addFailure(op(exists(held)))
                .build();
    }

    /** Enters the queue if nobody is there; leaves nothing behind otherwise. */
    static TxnRequest enterIfFree(ByteString queue, ByteString key, ByteString value, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(isEmpty(queue))
                .addSuccess(put(key, value, lease.id))
                .addFailure(op(exists(key)))
                .addFailure(op(exists(lease.guard)))
                .addFailure(op(first(queue).build()))
                .build();
    }

    /** Everybody up to the claim that was created so, in order; and the first with what it says of itself. */
    static TxnRequest look(ByteString queue, long revision) {
        return TxnRequest.newBuilder()
                .addSuccess(op(all(queue)
                        .setKeysOnly(true)
                        .setMaxCreateRevision(revision)
                        .build()))
                .addSuccess(op(first(queue).build()))
                .build();
    }

    /** Removes it, if it was created so. */
    static TxnRequest remove(ByteString key, long revision) {
        return TxnRequest.newBuilder()
                .addCompare(created(key, revision))
                .addSuccess(delete(key))
                .addFailure(op(exists(key)))
                .build();
    }

    /** Removes it, whenever it was created, and these guards with it. */
    static TxnRequest withdraw(ByteString key, Iterable<ServerLease> leases) {
        TxnRequest.Builder request = TxnRequest.newBuilder().addSuccess(delete(key));
        leases.forEach(lease -> request.addSuccess(delete(lease.guard)));
        return request.build();
    }

    /** Hangs a claim on another lease. It keeps its place: the revision that created it stays. */
    static TxnRequest move(ByteString key, long revision, PutRequest put) {
        return TxnRequest.newBuilder()
                .addCompare(created(key, revision))
                .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                .addFailure(op(exists(key)))
                .build();
    }

    static TxnRequest createGuard(ByteString guard, long lease) {
        return TxnRequest.newBuilder()
                .addSuccess(put(guard, Keys.bytes(Keys.VERSION), lease))
                .build();
    }

    /** All of them as parts of one, each with its own comparisons and its own response. */
    static TxnRequest together(List<TxnRequest> parts) {
        TxnRequest.Builder all = TxnRequest.newBuilder();
        parts.forEach(part -> all.addSuccess(RequestOp.newBuilder().setRequestTxn(part)));
        // A server whose disk is full refuses what puts something, and does not look for it in parts. This is never
        // done: there is
        // no comparison that could fail.
        parts.stream()
                .flatMap(part -> part.getSuccessList().stream())
                .filter(RequestOp::hasRequestPut)
                .findFirst()
                .ifPresent(all::addFailure);
        return all.build();
    }

    // ---- reads

    static RangeRequest exists(ByteString key) {
        return RangeRequest.newBuilder().setKey(key).setKeysOnly(true).build();
    }

    static RangeRequest.Builder first(ByteString queue) {
        return all(queue).setLimit(1);
    }

    /** In the order of their creation. */
    static RangeRequest.Builder all(ByteString queue) {
        return RangeRequest.newBuilder()
                .setKey(queue)
                .setRangeEnd(Keys.endOf(queue))
                .setSortTarget(SortTarget.CREATE)
                .setSortOrder(SortOrder.ASCEND);
    }

    private static RangeRequest last(ByteString queue, int count) {
        return all(queue)
                .setSortOrder(SortOrder.DESCEND)
                .setKeysOnly(true)
                .setLimit(count)
                .build();
    }

    static RequestOp op(RangeRequest range) {
        return RequestOp.newBuilder().setRequestRange(range).build();
    }

    // ---- parts

    private static Compare created(ByteString key, long revision) {
        return Compare.newBuilder()
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setKey(key)
                .setCreateRevision(revision)
                .build();
    }

    /** Of no key at all the revision is zero, too. */
    private static Compare isEmpty(ByteString queue) {
        return created(queue, 0).toBuilder().setRangeEnd(Keys.endOf(queue)).build();
    }

    private static RequestOp put(ByteString key, ByteString value, long lease) {
        return RequestOp.newBuilder()
                .setRequestPut(
                        PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease))
                .build();
    }

    private static RequestOp delete(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key))
                .build();
    }
}

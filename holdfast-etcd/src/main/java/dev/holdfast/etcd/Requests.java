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

    /** Takes it if nobody is in the way. Otherwise the only response is that of {@link #join}. */
    static TxnRequest enter(Place place, ServerLease lease) {
        return ifFree(place, lease)
                .addFailure(RequestOp.newBuilder().setRequestTxn(join(place, lease)))
                .build();
    }

    private static TxnRequest.Builder ifFree(Place place, ServerLease lease) {
        TxnRequest.Builder request = TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(isEmpty(place.ahead))
                .addSuccess(put(place.firstKey, place.value(), lease.id));
        if (place.claim.shared()) {
            // A reader is not in its own way. All others are.
            request.addCompare(created(place.key, 0));
        }
        return request;
    }

    /** Joins the line, if the guard stands and the claim is not there yet. Tells who is there: see {@link #view}. */
    private static TxnRequest join(Place place, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(created(place.key, 0))
                .addSuccess(put(place.key, place.value(), lease.id))
                .addAllSuccess(view(place))
                .addFailure(op(exists(place.key)))
                .addFailure(op(exists(lease.guard)))
                .build();
    }

    /** The same, and leaves the place that was held, if it is there. */
    static TxnRequest replace(ByteString held, long heldRevision, Place place, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(lease.guard, lease.guardRevision))
                .addCompare(created(place.key, 0))
                .addCompare(created(held, heldRevision))
                .addSuccess(delete(held))
                .addSuccess(put(place.key, place.value(), lease.id))
                .addAllSuccess(view(place))
                .addFailure(op(exists(held)))
                .build();
    }

    /** For who has just joined: the last two of those in its way, and the first of all. Of a semaphore, everybody. */
    private static List<RequestOp> view(Place place) {
        return place.isForSlot()
                ? slots(place, all(place.claims))
                : List.of(op(last(place.ahead, 2)), op(first(place.line).build()));
    }

    /** Those who wait, and the slots that are taken. */
    private static List<RequestOp> slots(Place place, RangeRequest.Builder claims) {
        return List.of(op(claims.build()), op(all(place.shares).build()));
    }

    /** Takes it if nobody is in the way; otherwise leaves nothing behind, and tells the first who is, or everybody. */
    static TxnRequest enterIfFree(Place place, ServerLease lease) {
        return ifFree(place, lease)
                .addFailure(op(exists(place.key)))
                .addFailure(op(exists(lease.guard)))
                .addAllFailure(
                        place.isForSlot()
                                ? view(place)
                                : place.claim.shared()
                                        ? List.of(
                                                op(first(place.ahead).build()),
                                                op(first(place.line).build()))
                                        : List.of(op(first(place.ahead).build())))
                .build();
    }

    /** Everybody up to this claim, in order; and the first with what it says of itself. Of a semaphore, the slots instead. */
    static TxnRequest look(Place place) {
        return TxnRequest.newBuilder().addAllSuccess(looks(place)).build();
    }

    private static List<RequestOp> looks(Place place) {
        return place.isForSlot()
                ? slots(place, all(place.claims).setMaxCreateRevision(place.revision))
                : List.of(
                        op(all(place.line)
                                .setKeysOnly(true)
                                .setMaxCreateRevision(place.revision)
                                .build()),
                        op(first(place.line).build()));
    }

    /** Makes a slot of a claim, if the claim is there and the slot is not. Otherwise tells what {@link #look} does. */
    static TxnRequest take(Place place, ByteString slot, ServerLease lease) {
        return TxnRequest.newBuilder()
                .addCompare(created(place.key, place.revision))
                .addCompare(created(slot, 0))
                .addSuccess(delete(place.key))
                .addSuccess(put(slot, place.value(), lease.id))
                .addAllFailure(looks(place))
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

    /** Removes them, whenever they were created, and these guards with them. */
    static TxnRequest withdraw(Iterable<ByteString> keys, Iterable<ServerLease> leases) {
        TxnRequest.Builder request = TxnRequest.newBuilder();
        keys.forEach(key -> request.addSuccess(delete(key)));
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

    static RangeRequest.Builder first(Keys.Range queue) {
        return all(queue).setLimit(1);
    }

    /** In the order of their creation. */
    static RangeRequest.Builder all(Keys.Range queue) {
        return RangeRequest.newBuilder()
                .setKey(queue.from())
                .setRangeEnd(queue.end())
                .setSortTarget(SortTarget.CREATE)
                .setSortOrder(SortOrder.ASCEND);
    }

    private static RangeRequest last(Keys.Range queue, int count) {
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
    private static Compare isEmpty(Keys.Range queue) {
        return created(queue.from(), 0).toBuilder().setRangeEnd(queue.end()).build();
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

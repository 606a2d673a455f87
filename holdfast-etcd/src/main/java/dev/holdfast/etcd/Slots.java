package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.etcd.rpc.RangeResponse;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore as it was at one revision: who waits, and which slots are taken. From this everybody works out the same thing: each
 * in the order of the line gets the lowest free slot that it knows, if there is one. So the first get what is free, and nobody
 * keeps a slot from others that it could not have itself. Only the order depends on that: a slot that is taken is a key that
 * is there, and nobody creates that a second time.
 */
final class Slots {
    private record Waiter(KeyValue claim, int slots) {}

    private final Keys keys;
    private final List<Waiter> waiters = new ArrayList<>();
    private final Map<Owner, KeyValue> byOwner = new HashMap<>();
    private final List<ClaimData> holders = new ArrayList<>();
    private final BitSet taken = new BitSet();

    Slots(Keys keys, RangeResponse claims, RangeResponse slots) {
        this.keys = keys;
        for (KeyValue each : slots.getKvsList()) {
            keys.parse(each.getKey()).ifPresent(key -> {
                ClaimData data = ClaimData.parse(each.getValue());
                taken.set(key.slot());
                holders.add(data);
                data.owner().ifPresent(owner -> byOwner.put(owner, each));
            });
        }
        for (KeyValue each : claims.getKvsList()) {
            // One with a slot does not wait, whatever its process knows of it.
            keys.parse(each.getKey())
                    .filter(key -> !byOwner.containsKey(key.owner()))
                    .ifPresent(key -> waiters.add(
                            new Waiter(each, ClaimData.parse(each.getValue()).slots())));
        }
    }

    /** The slot of this owner. */
    @Nullable
    KeyValue of(Owner owner) {
        return byOwner.get(owner);
    }

    boolean isWaiting(Place place) {
        return waiters.stream().anyMatch(each -> place.isAt(each.claim));
    }

    /** Empty: none, for one that knows so many slots and stands behind everybody created before this revision. */
    Optional<Integer> freeFor(int slots, long revision) {
        BitSet left = (BitSet) taken.clone();
        for (Waiter each : waiters) {
            if (each.claim.getCreateRevision() < revision && left.nextClearBit(0) < each.slots) {
                left.set(left.nextClearBit(0));
            }
        }
        return left.nextClearBit(0) < slots ? Optional.of(left.nextClearBit(0)) : Optional.empty();
    }

    /**
     * What has to go before there can be a slot for it: the nearest in front that knows as many slots, which would be given any of
     * them first; where there is none, one of those slots.
     */
    Keys.Range inTheWay(Place place) {
        int slots = place.claim.slots();
        ByteString nearest = null;
        for (Waiter each : waiters) {
            if (each.claim.getCreateRevision() < place.revision && each.slots >= slots) {
                nearest = each.claim.getKey();
            }
        }
        return nearest == null ? keys.slotsBelow(place.claim.key(), slots) : Keys.Range.of(nearest);
    }

    /** One of them. */
    @Nullable
    Holder holder() {
        return holders.isEmpty() ? null : holders.get(0).holder();
    }

    /** No slot ends sooner than this after it was last renewed, unless it is given back. */
    Optional<Duration> shortestLease() {
        return holders.stream()
                .map(ClaimData::lease)
                .filter(lease -> !lease.isZero())
                .min(Duration::compareTo);
    }
}

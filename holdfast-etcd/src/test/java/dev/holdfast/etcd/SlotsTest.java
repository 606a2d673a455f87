package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.etcd.rpc.KeyValue;
import dev.holdfast.etcd.rpc.RangeResponse;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who gets which slot, and what the others watch. */
class SlotsTest {
    private static final Keys KEYS = Keys.below("shop");
    private static final String KEY = LockKey.semaphore("a").encoded();

    private final Random random = new Random(1);
    private final RangeResponse.Builder claims = RangeResponse.newBuilder();
    private final RangeResponse.Builder slots = RangeResponse.newBuilder();
    private long revision = 100;

    @Test
    void theFirstGetTheLowestThatAreFree() {
        taken(1);
        long first = waiting(4).revision;
        long second = waiting(4).revision;
        long third = waiting(4).revision;
        assertThat(free(4, first)).contains(0);
        assertThat(free(4, second)).contains(2);
        assertThat(free(4, third)).contains(3);
        assertThat(free(4, Long.MAX_VALUE)).as("who comes now").isEmpty();
        assertThat(free(5, Long.MAX_VALUE)).as("who comes now, and knows more").contains(4);
    }

    @Test
    void nobodyKeepsASlotFromOthersThatItCannotHave() {
        taken(0);
        long small = waiting(1).revision;
        long large = waiting(2).revision;
        assertThat(free(1, small)).isEmpty();
        assertThat(free(2, large)).contains(1);
    }

    @Test
    void whoHasASlotDoesNotWaitForAnother() {
        // A claim that was sent a second time, beside the slot that came of the first.
        Place both = waiting(2);
        taken(0, both.claim.owner());
        assertThat(free(2, waiting(2).revision)).contains(1);
        assertThat(seen().of(both.claim.owner()).getKey()).isEqualTo(KEYS.slot(KEY, 0));
        assertThat(seen().isWaiting(both)).isFalse();
    }

    @Test
    void whatNobodyCanReadIsTakenAllTheSame() {
        put(slots, KEYS.slot(KEY, 0), Keys.bytes("x"));
        put(slots, Keys.bytes("shop/2/locks/" + KEY + "\nx"), Keys.bytes("x"));
        put(claims, Keys.bytes("shop/2/locks/" + KEY + "\tx"), Keys.bytes("x"));
        assertThat(free(2, Long.MAX_VALUE)).contains(1);
        assertThat(free(1, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void everybodyWatchesTheNearestThatWouldBeServedFirst() {
        taken(0);
        taken(1);
        Place head = waiting(2);
        Place small = waiting(1);
        Place next = waiting(2);
        Place large = waiting(3);
        assertThat(seen().inTheWay(head)).isEqualTo(KEYS.slotsBelow(KEY, 2));
        assertThat(seen().inTheWay(small)).isEqualTo(Keys.Range.of(head.key));
        assertThat(seen().inTheWay(next)).isEqualTo(Keys.Range.of(head.key));
        assertThat(seen().inTheWay(large)).isEqualTo(KEYS.slotsBelow(KEY, 3));
    }

    private Optional<Integer> free(int number, long before) {
        return seen().freeFor(number, before);
    }

    private Slots seen() {
        return new Slots(KEYS, claims.build(), slots.build());
    }

    private void taken(int number) {
        taken(number, Owner.random(random));
    }

    private void taken(int number, Owner owner) {
        put(slots, KEYS.slot(KEY, number), place(owner, 8).value());
    }

    private Place waiting(int slotsKnown) {
        Place place = place(Owner.random(random), slotsKnown);
        place.revision = put(claims, place.key, place.value());
        return place;
    }

    private static Place place(Owner owner, int slotsKnown) {
        Claim claim = Claim.of(KEY, owner, Duration.ofSeconds(1), 1, new Holder("here", 1, ""))
                .forAnyOf(slotsKnown);
        return new Place(claim, KEYS, 1_000);
    }

    private long put(RangeResponse.Builder where, ByteString key, ByteString value) {
        where.addKvs(KeyValue.newBuilder().setKey(key).setValue(value).setCreateRevision(++revision));
        return revision;
    }
}

package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may have which slot, and what everybody else has to watch. */
class SemaphoreViewTest {
    /** @param numbers of those who wait, in their order: how many slots each knows */
    private static SemaphoreView view(List<Integer> taken, int... numbers) {
        List<String> claims = new ArrayList<>();
        for (int number : numbers) {
            claims.add("%s-s%d-%010d".formatted(owner(claims.size()), number, claims.size()));
        }
        List<String> slots = taken.stream()
                .map(slot -> TakenSlot.prefix(slot, owner(100 + slot)) + "0000000000")
                .toList();
        return new SemaphoreView(QueuedClaim.inOrder(claims), null, TakenSlot.of(slots));
    }

    private static Owner owner(int number) {
        return new Owner(7, number);
    }

    @Test
    void freeSlotsGoToThoseWhoWaitInTheirOrder() {
        SemaphoreView view = view(List.of(0, 2), 4, 4, 4);
        assertThat(view.slotFor(0, 4)).isEqualTo(1);
        assertThat(view.slotFor(1, 4)).isEqualTo(3);
        assertThat(view.slotFor(2, 4)).isNegative();
        // A newcomer stands behind all of them.
        assertThat(view(List.of(0, 2), 4, 4).slotFor(2, 4)).isNegative();
        assertThat(view(List.of(0, 2), 4).slotFor(1, 4)).isEqualTo(3);
    }

    @Test
    void whoeverKnowsMoreSlotsPassesThoseWhoCannotHaveThem() {
        SemaphoreView view = view(List.of(0, 1), 2, 1, 4);
        assertThat(view.slotFor(0, 2)).isNegative();
        assertThat(view.slotFor(1, 1)).isNegative();
        assertThat(view.slotFor(2, 4)).isEqualTo(2);
        // But not to a slot that one in front can have.
        assertThat(view(List.of(0, 2, 3), 2, 4).slotFor(1, 4)).isNegative();
    }

    @Test
    void aSlotOfALargerNumberIsNobodysOfASmallerOne() {
        assertThat(view(List.of(5, 6)).slotFor(0, 2)).isZero();
        assertThat(view(List.of(0, 1, 5)).slotFor(0, 2)).isNegative();
    }

    @Test
    void ofThoseWhoKnowTheSameSlotsOnlyTheFirstWatchesThem() {
        SemaphoreView view = view(List.of(0, 1), 2, 2, 2);
        assertThat(view.servedBefore(0, 2)).isNegative();
        assertThat(view.widestInFront(0)).isNegative();
        assertThat(view.servedBefore(1, 2)).isEqualTo(0);
        assertThat(view.servedBefore(2, 2)).isEqualTo(1);
    }

    @Test
    void whoeverKnowsMoreThanAllInFrontWatchesTheSlotsAndTheOneThatKnowsMost() {
        // The first can leave without having taken a slot that the second cannot have.
        SemaphoreView view = view(List.of(0, 1), 2, 1, 4, 3);
        assertThat(view.servedBefore(2, 4)).isNegative();
        assertThat(view.widestInFront(2)).isEqualTo(0);
        assertThat(view.servedBefore(3, 3)).isEqualTo(2);
        assertThat(view(List.of(), 2, 2, 4).widestInFront(2)).isEqualTo(1);
    }

    @Test
    void nodesOfOthersHoldNothing() {
        List<String> children = List.of(
                "junk",
                "1-junk",
                "-3-" + owner(1) + "-0",
                "x-" + owner(1) + "-0",
                "3-" + owner(1),
                "",
                "1-" + "%".repeat(22) + "-0");
        assertThat(TakenSlot.of(children)).isEmpty();
        // At the end of its numbers the server writes negative ones.
        assertThat(TakenSlot.of(List.of("12-" + owner(1) + "--2147483648")))
                .containsExactly(new TakenSlot("12-" + owner(1) + "--2147483648", 12, owner(1)));
    }
}

package dev.holdfast.proving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.proving.subject.Store;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LanesTest {
    private static final List<Store> ALL = List.of(Store.values());

    @Test
    void everyStoreHasItsTurnsAndNeverTwoAtOnce() throws InterruptedException {
        Map<Store, Integer> turns = new ConcurrentHashMap<>();
        Set<Store> playing = ConcurrentHashMap.newKeySet();

        Lanes.run(3, ALL, store -> {
            assertThat(playing.add(store)).isTrue();
            assertThat(playing).hasSizeLessThanOrEqualTo(3);
            int turn = turns.merge(store, 1, Integer::sum);
            playing.remove(store);
            return turn < 4;
        });

        assertThat(turns.keySet()).isEqualTo(EnumSet.allOf(Store.class));
        assertThat(turns.values()).containsOnly(4);
    }

    @Test
    void storesArePlayedSideBySide() throws InterruptedException {
        CountDownLatch both = new CountDownLatch(2);

        Lanes.run(2, ALL.subList(0, 2), store -> {
            both.countDown();
            assertThat(both.await(60, TimeUnit.SECONDS)).isTrue();
            return false;
        });

        assertThat(both.getCount()).isZero();
    }

    // Otherwise it would be lost with its thread, and the table would look complete.
    @Test
    void whatBreaksInALaneIsTold() {
        assertThatThrownBy(() -> Lanes.run(2, ALL, store -> {
                    throw new IllegalArgumentException("broken " + store);
                }))
                .hasMessageContaining("broken ");
    }
}

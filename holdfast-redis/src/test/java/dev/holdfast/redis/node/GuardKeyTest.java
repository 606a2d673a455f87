package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GuardKeyTest {
    @Test
    void theGuardStandsInTheSlotOfTheData() {
        Set<String> guards = new HashSet<>();
        List<String> keys =
                List.of("account:7", "{tenant}:account:7", "a{b}c{d}", "{}x", "x{", "ünï ✓", "{tenant}:account:8");
        for (String key : keys) {
            if (key.equals("{}x")) {
                continue;
            }
            String guard = Keys.guard(key);
            assertThat(SlotHash.getSlot(guard)).as(key).isEqualTo(SlotHash.getSlot(key));
            guards.add(guard);
        }
        assertThat(guards).hasSize(keys.size() - 1);
    }

    @Test
    void theGuardsNameHasNoWireVersion() {
        // It used to have: with a new version of the locks' values every guard would have forgotten its newest token.
        assertThat(Keys.guard("account:7")).isEqualTo("holdfast:guard:{account:7}");
        assertThat(Keys.guard("{tenant}:account:7")).isEqualTo("holdfast:guard:{tenant}:{tenant}:account:7");
    }

    @Test
    void aKeyThatNothingCanStandBesideIsRefused() {
        for (String key : List.of("{}x", "a}b", "")) {
            assertThatThrownBy(() -> Keys.guard(key))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("hash tag");
        }
    }
}

package dev.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.RedirectException;
import dev.holdfast.redis.node.ServerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void slotsAreThoseOfRedis() {
        // As CLUSTER KEYSLOT answers.
        assertThat(Slots.of("123456789")).isEqualTo(0x31c3 % Slots.COUNT);
        assertThat(Slots.of("foo")).isEqualTo(12182);
        assertThat(Slots.of("{foo}bar")).isEqualTo(12182);
        assertThat(Slots.of("holdfast:2:{539}:lock:invoice-42")).isEqualTo(Slots.of("539"));
        assertThat(Slots.of("{}foo")).isNotEqualTo(Slots.of(""));
    }

    @Test
    void theMapNamesMastersAndReplicasAndWhatIsMissing() {
        SlotMap map = SlotMap.of(
                List.of(
                        List.of(0L, 99L, List.of("10.0.0.1", 7000L, "id"), List.of("10.0.0.2", 7001L, "id")),
                        List.of(100L, 199L, List.of("", 7002L, "id"))),
                "asked.example");
        assertThat(map.masterOf(99)).isEqualTo(new ServerAddress("10.0.0.1", 7000));
        assertThat(map.masterOf(100)).isEqualTo(new ServerAddress("asked.example", 7002));
        assertThat(map.masterOf(200)).isNull();
        assertThat(map.replicas()).containsExactly(new ServerAddress("10.0.0.2", 7001));
        assertThat(map.missing()).isEqualTo(Slots.COUNT - 200);
        SlotMap moved = map.with(99, new ServerAddress("10.0.0.3", 7003));
        assertThat(moved.masterOf(99)).isEqualTo(new ServerAddress("10.0.0.3", 7003));
        assertThat(map.masterOf(99)).isEqualTo(new ServerAddress("10.0.0.1", 7000));
    }

    @Test
    void redirectsAreReadAsServersWriteThem() {
        RedirectException moved = RedirectException.parse("MOVED 3999 127.0.0.1:6381", "asked.example");
        assertThat(moved.kind()).isEqualTo(RedirectException.Kind.MOVED);
        assertThat(moved.target()).isEqualTo(new ServerAddress("127.0.0.1", 6381));
        assertThat(RedirectException.parse("ASK 1 ::1:6381", "x").target()).isEqualTo(new ServerAddress("::1", 6381));
        assertThat(RedirectException.parse("MOVED 1 :6381", "asked.example").target())
                .isEqualTo(new ServerAddress("asked.example", 6381));
        assertThat(RedirectException.parse("TRYAGAIN Multiple keys request during rehashing of slot", "x")
                        .kind())
                .isEqualTo(RedirectException.Kind.TRY_AGAIN);
        assertThat(RedirectException.parse("MOVED nonsense", "x")).isNull();
        assertThat(RedirectException.parse("OOM command not allowed", "x")).isNull();
    }
}

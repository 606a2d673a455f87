package dev.holdfast.lab.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What one process writes, the other reads, whatever is in it. */
class MessageTest {
    @Test
    void everyValueComesThroughOnOneLine() {
        Message sent = Message.of("lost", "lane", "holdfast", "token", 7, "why", "a = b\nc & d % é …");
        assertThat(sent.toLine()).doesNotContain("\n");
        Message got = Message.parse(sent.toLine());
        assertThat(got).isEqualTo(sent);
        assertThat(got.lane()).isEqualTo(Lane.HOLDFAST);
        assertThat(got.number("token")).isEqualTo(7);
        assertThat(got.flag("once")).isFalse();
    }

    @Test
    void whatIsMissingOrMalformedIsNamed() {
        assertThatThrownBy(() -> Message.parse("left").number("left")).hasMessageContaining("No left in");
        assertThatThrownBy(() -> Message.parse("left now")).hasMessageContaining("Not a message: left now");
    }
}

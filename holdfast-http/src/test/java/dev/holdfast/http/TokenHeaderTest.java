package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.FencingToken;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenHeaderTest {
    @Test
    void whatIsWrittenIsReadBack() {
        for (String text : List.of(
                "1", "1763193600123456", "9223372036854775807", "1:68719476752", "2147483647:9223372036854775807")) {
            assertThat(TokenHeader.parse(text)).hasToString(text);
        }
        assertThat(TokenHeader.parse("3:5")).isEqualTo(new TokenHeader(3, new FencingToken(5)));
        assertThat(new TokenHeader(0, new FencingToken(5))).hasToString("5");
    }

    @Test
    void everyValueHasOneSpelling() {
        for (String text : List.of(
                "",
                " ",
                "0",
                "-1",
                "+1",
                "01",
                "1 ",
                " 1",
                "1,2",
                "1, 1",
                "0:1",
                "01:1",
                "1:",
                ":1",
                "1:0",
                "1:1:1",
                "1.0",
                "0x1",
                "1e3",
                "\"1\"",
                "9223372036854775808",
                "99999999999999999999",
                "2147483648:1",
                "1:1\r\nX: y",
                "\u0661",
                "one")) {
            assertThatIllegalArgumentException()
                    .as("'%s'", text)
                    .isThrownBy(() -> TokenHeader.parse(text))
                    .withMessageStartingWith("Holdfast-Token is a number from 1 to 9223372036854775807");
        }
    }
}

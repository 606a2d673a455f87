package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResourcePathTest {
    @Test
    void spellingsOfOnePathHaveOneName() {
        for (String path : List.of("/orders/7", "/orders/7/", "/%6frders/7", "/%6Frders/%37", "/orders/%37/")) {
            assertThat(ResourcePath.of(path)).as(path).isEqualTo("/orders/7");
        }
        assertThat(ResourcePath.of("/caf%C3%A9/a%20b")).isEqualTo("/caf\u00e9/a b");
        assertThat(ResourcePath.of("/%F0%9F%94%92")).isEqualTo("/\ud83d\udd12");
        assertThat(ResourcePath.of("/")).isEqualTo("/");
    }

    @Test
    void whatDiffersToAServerDiffers() {
        assertThat(ResourcePath.of("/Orders/7")).isEqualTo("/Orders/7");
        assertThat(ResourcePath.of("/orders/7.json")).isEqualTo("/orders/7.json");
        assertThat(ResourcePath.of("/orders/...")).isEqualTo("/orders/...");
        assertThat(ResourcePath.of("/orders/7+8@home,x=1")).isEqualTo("/orders/7+8@home,x=1");
    }

    @Test
    void whatCanBeReadInTwoWaysIsRefused() {
        for (String path : List.of(
                "",
                "*",
                "orders/7",
                "http://host/orders/7",
                "//orders/7",
                "/orders//7",
                "/orders/7//",
                "/orders/./7",
                "/orders/../7",
                "/orders/.",
                "/orders/..",
                "/orders/%2e/7",
                "/orders/%2E%2e/7",
                "/orders/.%2e",
                "/orders;v=1/7",
                "/orders/7;",
                "/orders/7%3bx",
                "/orders/7%3B",
                "/orders%2f7",
                "/orders/7%2F",
                "/orders\\7",
                "/orders/%5c7",
                "/orders/%",
                "/orders/%2",
                "/orders/%zz",
                "/orders/%2537",
                "/orders/%25",
                "/orders/%00",
                "/orders/7%0d%0a",
                "/orders/%7f",
                "/orders/%c3",
                "/orders/%c0%af",
                "/orders/%ed%a0%80",
                "/orders/\u00e9",
                "/orders/a b",
                "/orders/7\u0000")) {
            assertThatIllegalArgumentException().as("'%s'", path).isThrownBy(() -> ResourcePath.of(path));
        }
    }
}

package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KeysTest {
    @Test
    void theWireFormatOfKeysIsWhatTheDocumentSays() {
        // Clients of all versions must come to the same keys.
        assertThat(Keys.standard().of("invoice-42"))
                .containsExactly(
                        "holdfast:1:{539}:lock:invoice-42",
                        "holdfast:1:{539}:queue:invoice-42",
                        "holdfast:1:{539}:fence");
        assertThat(Keys.inNamespace("shop").of("größe")[0])
                .isEqualTo("holdfast:1:shop:{" + Keys.bucket("größe") + "}:lock:größe");
        assertThat(Keys.standard().inbox("x")).isEqualTo("holdfast:1:inbox:x");
    }

    @Test
    void aNameIsReadBackFromItsKeyAndNothingElseIs() {
        Keys keys = Keys.standard();
        for (String name : new String[] {"a", "a:b", "{x}", "}:lock:", "a}:lock:b", "ü *?[]\\"}) {
            assertThat(keys.nameOf(keys.lock(name))).isEqualTo(name);
        }
        assertThat(keys.nameOf("holdfast:1:{0}:lock:a")).isNull();
        assertThat(keys.nameOf("holdfast:1:{0}:fence")).isNull();
        assertThat(keys.nameOf(Keys.inNamespace("shop").lock("a"))).isNull();
    }

    @Test
    void specialCharactersInAPrefixAreNotPatterns() {
        assertThat(Keys.standard().scanPattern("a*[b]?\\")).isEqualTo("holdfast:1:{*}:lock:a\\*\\[b\\]\\?\\\\*");
    }

    @Test
    void aNamespaceCannotBreakTheKey() {
        for (String bad : new String[] {"", "a b", "{a}", "a:b", "a*", "x".repeat(65)}) {
            assertThatThrownBy(() -> Keys.inNamespace(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}

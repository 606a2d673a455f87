package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KeysTest {
    @Test
    void theWireFormatOfKeysIsWhatTheDocumentSays() {
        // Clients of all versions must come to the same keys.
        assertThat(Keys.standard().of("invoice-42"))
                .containsExactly(
                        "holdfast:2:{539}:lock:invoice-42",
                        "holdfast:2:{539}:queue:invoice-42",
                        "holdfast:2:{539}:fence");
        assertThat(Keys.inNamespace("shop").of("größe")[0])
                .isEqualTo("holdfast:2:shop:{" + Keys.bucket("größe") + "}:lock:größe");
        assertThat(Keys.standard().inbox("x")).isEqualTo("holdfast:2:inbox:x");
    }

    @Test
    void aNameIsReadBackFromItsKeyAndNothingElseIs() {
        Keys keys = Keys.standard();
        for (String name : new String[] {"a", "a:b", "{x}", "}:lock:", "a}:lock:b", "ü *?[]\\"}) {
            assertThat(keys.nameOf(keys.lock(name))).isEqualTo(name);
        }
        assertThat(keys.nameOf("holdfast:2:{0}:lock:a")).isNull();
        assertThat(keys.nameOf("holdfast:2:{0}:fence")).isNull();
        assertThat(keys.nameOf(Keys.inNamespace("shop").lock("a"))).isNull();
    }

    @Test
    void specialCharactersInAPrefixAreNotPatterns() {
        assertThat(Keys.standard().scanPattern("a*[b]?\\")).isEqualTo("holdfast:2:{*}:lock:a\\*\\[b\\]\\?\\\\*");
    }

    @Test
    void keysOfOtherWireVersionsAreRecognised() {
        Keys keys = Keys.standard();
        assertThat(keys.otherVersion("holdfast:1:{539}:lock:invoice-42")).isEqualTo(new Keys.OtherVersion(1, true));
        assertThat(keys.otherVersion("holdfast:31:{539}:queue:a\nb")).isEqualTo(new Keys.OtherVersion(31, true));
        assertThat(keys.otherVersion("holdfast:1:{539}:fence")).isEqualTo(new Keys.OtherVersion(1, false));
        assertThat(Keys.inNamespace("shop").otherVersion("holdfast:3:shop:{5}:lock:a"))
                .isEqualTo(new Keys.OtherVersion(3, true));
        assertThat(keys.ofQuorum().otherVersion("holdfast:1:quorum/{5}:lock:a"))
                .isEqualTo(new Keys.OtherVersion(1, true));
        for (String other : new String[] {
            keys.lock("a"), "holdfast:1:shop:{5}:lock:a", Keys.guard("1:{5}:lock:a"), "holdfast:x:{5}:lock:a", "a"
        }) {
            assertThat(keys.otherVersion(other)).as(other).isNull();
        }
    }

    @Test
    void aNamespaceCannotBreakTheKey() {
        for (String bad : new String[] {"", "a b", "{a}", "a:b", "a*", "x".repeat(65)}) {
            assertThatThrownBy(() -> Keys.inNamespace(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}

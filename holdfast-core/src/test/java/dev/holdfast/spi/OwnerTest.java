package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnerTest {
    @Test
    void readsWhatItWrote() {
        SecureRandom random = new SecureRandom();
        Set<String> texts = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            Owner owner = Owner.random(random);
            String text = owner.toString();
            assertThat(text).matches("[A-Za-z0-9_-]{22}");
            assertThat(Owner.parse(text)).isEqualTo(owner);
            texts.add(text);
        }
        assertThat(texts).hasSize(10_000);
        assertThat(Owner.parse(new Owner(-1, Long.MIN_VALUE).toString())).isEqualTo(new Owner(-1, Long.MIN_VALUE));
    }

    @Test
    void refusesWhatIsNotAnOwner() {
        assertThatThrownBy(() -> Owner.parse("short")).hasMessageContaining("22 characters");
        assertThatThrownBy(() -> Owner.parse("AAAAAAAAAA AAAAAAAAAAA")).hasMessageContaining("' '");
    }
}

package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeysTest {
    private static final Keys KEYS = Keys.below("shop");
    private static final Owner OWNER = Owner.random(new Random(1));

    @Test
    void aKeyIsReadBack() {
        for (String name : List.of("a", "a/b", " ", "漢字", "a%2Fb", "x".repeat(512))) {
            assertThat(KEYS.parse(KEYS.claim(name, OWNER))).contains(new Keys.ClaimKey(name, false, OWNER.toString()));
        }
    }

    @Test
    void keysOfOthersAreNone() {
        for (String key : List.of(
                "shop/2/locks/",
                "shop/2/locks/a",
                "shop/2/locks/\t" + OWNER,
                "shop/2/locks/a\tb\t" + OWNER,
                "shop/2/locks/a " + OWNER,
                "shop/2/clients/a\t" + OWNER,
                "shop/2/locks/a\t" + "=".repeat(22))) {
            assertThat(KEYS.parse(Keys.bytes(key))).as(key).isEmpty();
        }
    }

    @Test
    void noNamespaceThatIsTakenHasKeysOfLocksInAnother() {
        // The last parts of a name, seen from the namespace that the first ones would make.
        for (String inner : List.of("a", "a/b", "2/locks/a", "a/2/locks/b")) {
            String outer = "shop/2/locks/" + inner;
            assertThat(Keys.below(outer).claim("b", OWNER)).isEqualTo(KEYS.claim(inner + "/2/locks/b", OWNER));
            assertThat(Keys.isAmongLocks(outer)).as(outer).isTrue();
        }
        assertThat(Keys.below("shop/2/locks").claim("b", OWNER)).isEqualTo(KEYS.claim("2/locks/b", OWNER));
        assertThat(Keys.isAmongLocks("shop/2/locks")).isTrue();
        assertThat(Keys.isAmongLocks("2/locks")).as("in no namespace").isFalse();
    }

    @Test
    void namesAreInTheOrderOfTheirKeysAndNoNameIsInTheRangeOfAnother() {
        List<String> names = List.of("a", "a b", "a/b", "ab", "b");
        for (int i = 1; i < names.size(); i++) {
            ByteString before = KEYS.claim(names.get(i - 1), OWNER);
            ByteString after = KEYS.claim(names.get(i), OWNER);
            assertThat(ByteString.unsignedLexicographicalComparator().compare(before, after))
                    .isNegative();
            assertThat(ByteString.unsignedLexicographicalComparator()
                            .compare(KEYS.shares(names.get(i - 1)).end(), after))
                    .isNotPositive();
        }
    }

    @Test
    void whatAClaimSaysIsReadBack() {
        Holder holder = new Holder("host", 42, "line\nand\nline");
        Claim claim = Claim.of("a", OWNER, Duration.ofMillis(1500), 99, holder).queuedSince(1_700_000_000_123_000L);
        ClaimData data = ClaimData.parse(ClaimData.encode(claim, claim.lease(), 1_700_000_000_456_789L));
        assertThat(data)
                .isEqualTo(new ClaimData(
                        16, Duration.ofMillis(1500), "x", "made=1700000000456,since=1700000000123", holder));
        assertThat(data.made()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_456L));
        assertThat(data.waitingSince()).isEqualTo(Instant.ofEpochMilli(1_700_000_000_123L));
    }

    @Test
    void whatSomebodyElseWroteIsShownAsAClaimThatSaysNothing() {
        for (String text : List.of("", "x", "2\n17\n1\nx\n-\n1\nh\nd", "2\n1\nx\nx\n-\n1\nh\nd", "9\n".repeat(9))) {
            ClaimData data = ClaimData.parse(Keys.bytes(text));
            assertThat(data.tokens()).isEqualTo(16);
            assertThat(data.holder().host()).isEqualTo("unknown");
        }
    }
}

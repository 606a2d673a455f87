package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Holder;
import dev.holdfast.LockKey;
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
    void readersAndSlotsStandBesideTheClaims() {
        String readWriteLock = LockKey.readWriteLock("a").encoded();
        String semaphore = LockKey.semaphore("a").encoded();
        ByteString reader = Keys.bytes("shop/2/locks/\u001frw:a\n" + OWNER);
        ByteString slot = Keys.bytes("shop/2/locks/\u001fsemaphore:a\n0007");
        assertThat(KEYS.reader(readWriteLock, OWNER).equals(reader)).isTrue();
        assertThat(KEYS.slot(semaphore, 7).equals(slot)).isTrue();
        assertThat(KEYS.parse(reader)).contains(new Keys.ClaimKey(readWriteLock, true, OWNER.toString()));
        assertThat(KEYS.parse(slot)).contains(new Keys.ClaimKey(semaphore, true, "0007"));
        assertThat(KEYS.parse(slot).orElseThrow().slot()).isEqualTo(7);
        for (String key : List.of(readWriteLock, semaphore)) {
            ByteString share = key.equals(semaphore) ? KEYS.slot(key, 999) : KEYS.reader(key, OWNER);
            ByteString claim = KEYS.claim(key, OWNER);
            assertThat(KEYS.parse(claim)).contains(new Keys.ClaimKey(key, false, OWNER.toString()));
            assertThat(Keys.keyOf(share)).isEqualTo(Keys.keyOf(claim));
            assertThat(List.of(claim, share)).allMatch(KEYS.line(key)::contains);
            assertThat(List.of(
                            KEYS.claims(key).contains(claim), KEYS.shares(key).contains(share)))
                    .containsOnly(true);
            assertThat(List.of(
                            KEYS.claims(key).contains(share), KEYS.shares(key).contains(claim)))
                    .containsOnly(false);
        }
        assertThat(KEYS.slotsBelow(semaphore, 8).contains(KEYS.slot(semaphore, 7)))
                .isTrue();
        assertThat(KEYS.slotsBelow(semaphore, 7).contains(KEYS.slot(semaphore, 7)))
                .isFalse();
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
                "shop/2/locks/a\n" + OWNER,
                "shop/2/locks/\u001frw:\n" + OWNER,
                "shop/2/locks/\u001frw:a\n0001",
                "shop/2/locks/\u001fsemaphore:a\n" + OWNER,
                "shop/2/locks/\u001fsemaphore:a\n1",
                "shop/2/locks/\u001fsemaphore:a\n1000",
                "shop/2/locks/\u001flater:a\t" + OWNER,
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
    void aClaimForASlotSaysWhoseItIsAndHowManyItKnows() {
        Claim claim = Claim.of(
                        LockKey.semaphore("a").encoded(), OWNER, Duration.ofSeconds(1), 1, new Holder("host", 42, ""))
                .forAnyOf(8);
        ClaimData data = ClaimData.parse(ClaimData.encode(claim, claim.lease(), 1_000));
        assertThat(data.kind()).isEqualTo("s8");
        assertThat(data.slots()).isEqualTo(8);
        assertThat(data.owner()).contains(OWNER);
        for (String written : List.of("x", "2\n1\n1\nsx\nowner=x\n1\nh\nd")) {
            ClaimData other = ClaimData.parse(Keys.bytes(written));
            assertThat(other.slots()).isEqualTo(1);
            assertThat(other.owner()).isEmpty();
        }
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

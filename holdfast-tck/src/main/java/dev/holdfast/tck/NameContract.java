package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any name works and none is mistaken for another; what is no name is refused with a reason. */
interface NameContract {
    /** Pairs that look alike to a store with opinions about case, accents, blanks, paths or patterns stand together. */
    List<String> ODD = List.of(
            "a",
            "A",
            "a ",
            " a",
            "a  b",
            "a b",
            "a\u00a0b",
            "é",
            "e\u0301",
            "e",
            "ß",
            "ss",
            "SS",
            "ı",
            "i",
            "İ",
            "{a}",
            "{b}a",
            "}{",
            "{",
            "{}",
            "*",
            "?",
            "[a]",
            "a*",
            "%",
            "_",
            "__",
            "a%b",
            "'",
            "''",
            "\"",
            "`",
            "\\",
            "\\\\",
            "\\n",
            "a;b",
            "a--b",
            "$1",
            "#",
            "&",
            "|",
            "<a>",
            "/",
            "//",
            "/a",
            "a/",
            "a/b",
            "..",
            "../a",
            ".",
            "a/../b",
            "~",
            ":",
            "::",
            "a:b",
            "漢字",
            "漢",
            "汉",
            "\ud83d\udd12",
            "\ud83d\udd11",
            "\u202eabc",
            "שלום",
            "null",
            "0",
            "00",
            "-1");

    @Test
    default void oddNamesWorkAndDoNotCollide(Bench bench) {
        // All of them are held at the same time by one client; another finds each of them taken, with its own token.
        List<String> names = new ArrayList<>();
        ODD.forEach(odd -> names.add(bench.name(odd)));
        ODD.forEach(odd -> names.add(odd + bench.prefix()));
        names.add(filled(bench, "x", 512));
        names.add(filled(bench, "y", 511));
        names.add(filled(bench, "漢", 512));
        Client client = bench.client();
        List<Holding> holdings = new ArrayList<>();
        for (String name : names) {
            holdings.add(client.hold(bench.claim(name)));
            keep(client, holdings, holdings.size());
        }

        Client other = bench.client();
        int seen = 0;
        for (Holding held : holdings) {
            keep(client, holdings, seen++);
            LockState state = other.state(held.key());
            assertThat(state.name()).isEqualTo(held.key());
            assertThat(state.tenure()).as("owner of '%s'", held.key()).isEqualTo(TenureHandle.of(held.owner()));
            other.busy(bench.claim(held.key()));
        }
        assertThat(other.answerOf(other.backend.list(bench.prefix(), 1000)))
                .extracting(LockState::name)
                .containsExactlyInAnyOrderElementsOf(names.stream()
                        .filter(name -> name.startsWith(bench.prefix()))
                        .toList());
        assertThat(client.renew(holdings)).allMatch(Renewal.Renewed.class::isInstance);
        holdings.forEach(held -> assertThat(client.release(held))
                .as("release of '%s'", held.key())
                .isTrue());
        holdings.forEach(held -> assertThat(other.describe(held.key())).isEmpty());
    }

    /** So many that a slow machine needs longer than a lease for them: renewed now and then, as core would. */
    private static void keep(Client client, List<Holding> holdings, int step) {
        if (step % 30 == 29) {
            assertThat(client.renew(holdings)).allMatch(Renewal.Renewed.class::isInstance);
        }
    }

    private static String filled(Bench bench, String with, int bytes) {
        StringBuilder name = new StringBuilder(bench.prefix());
        int each = with.getBytes(StandardCharsets.UTF_8).length;
        int missing = bytes - name.length();
        name.append(with.repeat(missing / each)).append("z".repeat(missing % each));
        return name.toString();
    }

    @Test
    default void oddNamesAreWokenUnderTheirOwnName(Bench bench) {
        // A wake-up names the lock; a name that is mangled on the way wakes nobody.
        for (String odd : List.of("{a} *", "漢 \ud83d\udd12", "a'\"\\b", "../..", "%_")) {
            String name = bench.name(odd);
            Client holder = bench.client();
            Holding held = holder.hold(bench.claim(name));
            Client waiter = bench.client();
            var claim = bench.queueing(name);
            waiter.busy(claim);
            assertThat(holder.release(held)).isTrue();
            waiter.awaitTurn(claim);
        }
    }

    @Test
    default void whatIsNoNameIsRefusedWithAReason(Bench bench) {
        // Refused before anything is sent, whatever the store would have made of it.
        Holdfast holdfast = bench.holdfast();
        assertThatThrownBy(() -> holdfast.lock(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> holdfast.lock("x".repeat(513)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("513 bytes")
                .hasMessageContaining("512 are allowed");
        assertThatThrownBy(() -> holdfast.lock("é".repeat(257)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("514 bytes");
        for (String control : List.of("a\nb", "a\0b", "\u007f", "a\u0085")) {
            assertThatThrownBy(() -> holdfast.lock(control))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("control character");
        }
        assertThatThrownBy(() -> holdfast.lock("a\ud83d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("surrogate");
    }
}

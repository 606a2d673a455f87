package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Secrets;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The record of who broke what, with names and descriptions that others chose. */
class AuditLogTest {
    private final List<String> lines = new ArrayList<>();

    private String broken(String name, String host, String description) {
        LockState ended = LockState.builder(name, Owner.random(new Random(7)))
                .holder(new Holder(host, 4711, description))
                .tokens(5, 1)
                .since(Instant.now())
                .remaining(Duration.ofSeconds(30))
                .build();
        String by = AuditLog.who("alice", new InetSocketAddress(InetAddress.getLoopbackAddress(), 80));
        String line = new AuditLog(lines::add).broken(ended, by);
        assertThat(lines).containsExactly(line);
        // Whoever prints the line masks it once more.
        assertThat(Secrets.mask(line)).isEqualTo(line);
        return line;
    }

    @Test
    void theBeginningOfAPasswordInANameHidesNothingElse() {
        // The mask reached from the brace in the name to the one in the description: token and holder were gone, and
        // what the holder had written stood in their place.
        assertThat(broken("password={", "host-7", "x} innocent, process 1 on otherhost"))
                .startsWith("Broken: lock 'password=***', tokens ")
                .contains("5, held by process 4711 on 'host-7' ('x} innocent, process 1 on otherhost'). By alice, from"
                        + " 127.0.0.1 at ");
    }

    @Test
    void aNameIsNotTakenForTheRestOfTheRecord() {
        assertThat(broken("a', tokens 1, held by process 1 on 'b", "c'd", "'). By bob"))
                .contains("lock 'a\\u0027, tokens 1, held by process 1 on \\u0027b', tokens")
                .contains("process 4711 on 'c\\u0027d' ('\\u0027). By bob'). By alice");
    }

    @Test
    void aQuotationMarkAfterAPasswordStaysEscaped() {
        assertThat(broken("password=a', tokens 1, held by bob", "password=b'", "redis://u:s3cret@c pwd=s3cret"))
                .contains("lock 'password=*** tokens 1, held by bob', tokens", "on 'password=***' (")
                .contains("('redis://***@c pwd=***')")
                .doesNotContain("s3cret");
    }

    @Test
    void whatCannotBeSeenIsShown() {
        assertThat(broken("abc\u202etxt", "h\u00a0st", "line\nbreak\ud83d\ude00"))
                .contains("'abc\\u202etxt'", "'h\\u00a0st'", "'line\\u000abreak\ud83d\ude00'")
                .doesNotContain("\n", "\u202e");
    }
}

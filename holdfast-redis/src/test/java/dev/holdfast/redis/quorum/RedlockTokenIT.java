package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.redis.testing.Patient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens of servers whose counters are far apart. */
@Timeout(240)
class RedlockTokenIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final Five five = Five.servers();

    private static Holdfast client() {
        return Holdfast.over(Patient.quorum(five.url()).connect());
    }

    @Test
    void nodesThatDisagreeAreBroughtToTheLargestInASecondRound() throws Exception {
        // Every counter is somewhere else, beyond every clock. The token is above all that were considered, a majority
        // stands for it, and it can be renewed.
        String name = "apart";
        long ahead = (System.currentTimeMillis() + 3_600_000) * 1000;
        String fence = Keys.standard().ofQuorum().of(name)[2];
        for (int i = 0; i < 5; i++) {
            five.get(i).call("SET", fence, Long.toString(ahead + 1000L * i));
        }
        try (Holdfast holdfast = client();
                Holdfast other = client()) {
            long before = 0;
            for (int round = 0; round < 10; round++) {
                Holdfast client = round % 2 == 0 ? holdfast : other;
                try (Lease lease = client.lock(name).acquire(PATIENCE)) {
                    assertThat(lease.token().value()).isGreaterThan(Math.max(before, ahead + 2000));
                    assertThat(client.inspect(name).orElseThrow().votes().granted())
                            .isGreaterThanOrEqualTo(3);
                    before = lease.token().value();
                }
            }
        }
    }

    @Test
    void aNodeThatMissedEverythingDoesNotTurnTokensBack() throws Exception {
        // Three counters are an hour ahead, two know nothing: they are a minority, whoever answers first.
        String name = "behind";
        long ahead = (System.currentTimeMillis() + 3_600_000) * 1000;
        String fence = Keys.standard().ofQuorum().of(name)[2];
        for (int i = 0; i < 3; i++) {
            five.get(i).call("SET", fence, Long.toString(ahead));
        }
        try (Holdfast holdfast = client()) {
            long before = ahead;
            for (int round = 0; round < 20; round++) {
                try (Lease lease = holdfast.lock(name).acquire(PATIENCE)) {
                    assertThat(lease.token().value()).isGreaterThan(before);
                    before = lease.token().value();
                }
            }
        }
    }
}

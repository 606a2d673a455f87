package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StaleTokenException;
import dev.holdfast.memory.InMemoryFence;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Five;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What no lock can prevent, and what the token does about it: the scenarios of docs/redlock.md that end at the resource. */
@Timeout(300)
class RedlockScenariosIT {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final String NAME = "account";

    private final Five five = Five.servers();
    private final List<Holdfast> clients = new ArrayList<>();
    private final InMemoryFence fence = new InMemoryFence(NAME);
    private final List<String> account = new ArrayList<>();

    @BeforeEach
    void start() {
        five.start();
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        five.close();
    }

    private Holdfast client() {
        Holdfast holdfast = Holdfast.builder(new MinorityContract.Clients().connect(five.url()))
                .closeGrace(Duration.ofMillis(100))
                .build();
        clients.add(holdfast);
        return holdfast;
    }

    private void write(Lease lease, String what) {
        fence.guarded(lease.token(), () -> account.add(what));
    }

    @Test
    void theHolderThatWasPausedPastItsLeaseWritesInVain() throws Exception {
        // The lease is not renewed, as in a process that stands still. Its successor announces its token before it
        // reads.
        Lease paused =
                client().lock(NAME).withLease(Duration.ofSeconds(1)).fixed().acquire(PATIENCE);
        fence.announce(paused.token());
        Lease successor = client().lock(NAME).acquire(PATIENCE);
        fence.announce(successor.token());
        assertThatThrownBy(() -> write(paused, "paused")).isInstanceOf(StaleTokenException.class);
        write(successor, "successor");
        assertThat(account).containsExactly("successor");
    }

    @Test
    void whereClocksRunFastTwoHoldAtOnceAndTheTokensTellThemApart() throws Exception {
        // The first has all five. On 3, 4 and 5 the lock ends early, as under a clock that runs fast or jumps: a rival
        // gets
        // these three while the first still believes in its lease. Nobody can prevent that; the resource can tell.
        Holdfast rival = client();
        rival.lock("warm-up").acquire(PATIENCE).close();
        String lock = Keys.standard().ofQuorum().lock(NAME);
        Lease first = heldByAllFive(client(), lock);
        fence.announce(first.token());
        for (int node = 2; node < 5; node++) {
            five.get(node).call("DEL", lock);
        }
        Lease second = rival.lock(NAME).acquire(PATIENCE);
        assertThat(first.isValid()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        fence.announce(second.token());
        assertThatThrownBy(() -> write(first, "first")).isInstanceOf(StaleTokenException.class);
        write(second, "second");
        assertThat(account).containsExactly("second");
        // Its next renewal finds no majority any more.
        await().atMost(PATIENCE).until(() -> !first.isValid());
        assertThat(second.isValid()).isTrue();
    }

    /** A server that is slow to answer may be left out of a round; then the lock is taken anew. */
    private Lease heldByAllFive(Holdfast client, String lock) throws Exception {
        while (true) {
            Lease lease = client.lock(NAME).withLease(Duration.ofSeconds(18)).acquire(PATIENCE);
            long giveUp = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() - giveUp < 0) {
                if (isAtAllFive(lock)) {
                    return lease;
                }
                Thread.sleep(5);
            }
            lease.close();
        }
    }

    private boolean isAtAllFive(String lock) {
        for (int node = 0; node < 5; node++) {
            if (five.get(node).call("GET", lock) == null) {
                return false;
            }
        }
        return true;
    }
}

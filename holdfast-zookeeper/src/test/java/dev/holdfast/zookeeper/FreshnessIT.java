package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What one client knows to have happened, every other one finds. The hard case is a leader, which may be behind its
 * follower for a moment: it sends word of a decision first, and carries it out itself when it gets round to it. It was seen
 * in about one of 400 looks.
 */
@Timeout(300)
class FreshnessIT {
    @RegisterExtension
    static final Ensemble ensemble = new Ensemble();

    private static final int ROUNDS = 1500;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private int released;
    private Holdfast atFollower;
    private Holdfast atLeader;

    @BeforeEach
    void connect() throws Exception {
        int leader = ensemble.awaitLeader();
        int follower = (leader + 1) % Ensemble.SIZE;
        // So that whatever is decided needs this follower.
        ensemble.kill((leader + 2) % Ensemble.SIZE);
        atFollower = client(follower);
        atLeader = client(leader);
    }

    private static Holdfast client(int server) throws Exception {
        // On a machine that stands still for two seconds, the servers have to find each other again.
        ZooKeeperBackend backend = Clients.of(ensemble.front(server).address(), Clients.LONG)
                .connectionTimeout(PATIENCE)
                .connect();
        return Holdfast.builder(backend).unavailableAfter(PATIENCE).build();
    }

    @AfterEach
    void close() throws Exception {
        atFollower.close();
        atLeader.close();
        ensemble.heal();
    }

    @Test
    void theLeaderShowsWhatAClientOfAFollowerHasAndNoLongerHas() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Lease lease = atFollower.lock("shown").acquire();
            assertThat(inspect("shown"))
                    .as("round %d, while it is held", i)
                    // The newest token given out with it: ours, or one kept for later.
                    .hasValueSatisfying(
                            state -> assertThat(state.tokens().last()).isGreaterThanOrEqualTo(lease.token()));
            if (isKnownToBeReleased(lease)) {
                assertThat(inspect("shown")).as("round %d, afterwards", i).isEmpty();
            }
        }
        requireThatMostCounted();
    }

    @Test
    void theLeaderGrantsWhatAClientOfAFollowerHasGivenBack() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            if (isKnownToBeReleased(atFollower.lock("free again").acquire())) {
                requireGranted(i);
            }
        }
        requireThatMostCounted();
    }

    private void requireGranted(int round) throws InterruptedException {
        Optional<Lease> lease;
        try {
            lease = atLeader.lock("free again").tryAcquire();
        } catch (LockUnavailableException broken) {
            released--;
            return;
        }
        assertThat(lease).as("round %d", round).isPresent();
        lease.get().close();
    }

    /** A machine that stands still for two seconds breaks connections: then it is asked again. */
    private Optional<LockState> inspect(String name) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return atLeader.inspect(name);
            } catch (LockUnavailableException broken) {
                assertThat(System.nanoTime() - end)
                        .as("nanoseconds past the last try")
                        .isNegative();
            }
        }
    }

    /** An answer can get lost with its connection. Then nobody knows what has happened, and nothing is to be found. */
    private boolean isKnownToBeReleased(Lease lease) throws InterruptedException {
        try {
            lease.releaseAsync().get();
            released++;
            return true;
        } catch (ExecutionException unconfirmed) {
            return false;
        }
    }

    private void requireThatMostCounted() {
        assertThat(released).as("rounds that show something").isGreaterThan(ROUNDS / 2);
    }
}

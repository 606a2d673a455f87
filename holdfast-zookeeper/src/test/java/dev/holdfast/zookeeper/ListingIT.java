package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is shown of a store in which not everything is ours. */
@Timeout(120)
class ListingIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Paths PATHS = Paths.below("/holdfast");

    private Holdfast holdfast;
    private Neighbour neighbour;

    @BeforeEach
    void connect() {
        // One of the tests takes from it the right to release.
        holdfast = Holdfast.builder(Clients.of(server.address(), Clients.LONG).connect())
                .closeGrace(Duration.ofMillis(300))
                .build();
        neighbour = new Neighbour(server.address());
    }

    @AfterEach
    void close() {
        holdfast.close();
        neighbour.close();
    }

    @Test
    void whatCannotBeReadDoesNotHideTheRest() throws Exception {
        // Each of these used to fail the whole listing: a claim with somebody else's data, a name that is hidden from
        // us, and nodes that are no names at all.
        try (Lease good = holdfast.lock("good").acquire(PATIENCE);
                Lease scribbled = holdfast.lock("scribbled").acquire(PATIENCE);
                Lease hidden = holdfast.lock("hidden").acquire(PATIENCE)) {
            neighbour.rewrite(neighbour.claims("scribbled").get(0));
            neighbour
                    .curator()
                    .create()
                    .creatingParentsIfNeeded()
                    .forPath("/holdfast/2/ZZ/%zz%4", "not a name".getBytes(StandardCharsets.UTF_8));
            String path = PATHS.lock("hidden");
            List<ACL> nobody = List.of(new ACL(ZooDefs.Perms.ALL, new Id("digest", "other:x")));
            neighbour.curator().setACL().withACL(nobody).forPath(path);

            List<LockState> states = holdfast.list("", 100);
            assertThat(states).extracting(LockState::name).containsExactly("good", "scribbled");
            LockState unknown = states.get(1);
            assertThat(unknown.holder().description()).contains("cannot be read");
            assertThat(unknown.tokens().last()).isGreaterThanOrEqualTo(scribbled.token());
            assertThat(good.isValid()).isTrue();
            assertThat(hidden.isValid()).isTrue();
        }
    }

    @Test
    void aClaimThatCannotBeReadCanBeBroken() throws Exception {
        // Otherwise a forged one would block its name for ever.
        holdfast.lock("blocked").acquire(PATIENCE).close();
        neighbour.forge("blocked", 0);
        assertThat(holdfast.lock("blocked").tryAcquire()).isEmpty();
        assertThat(holdfast.breakLock(holdfast.inspect("blocked").orElseThrow()))
                .isPresent();
        holdfast.lock("blocked").acquire(PATIENCE).close();
    }

    @Test
    void aListingEndsWhenNobodyWantsItAnyMore() throws Exception {
        // It used to go on asking for every name. Two thousand idle names are read in twenty parts.
        AtomicInteger made = new AtomicInteger();
        for (int i = 0; i < 2000; i++) {
            neighbour
                    .curator()
                    .create()
                    .creatingParentsIfNeeded()
                    .withMode(CreateMode.PERSISTENT)
                    // Those whose bucket is missing are sent again, after others: the last one is not the last to be
                    // there.
                    .inBackground((client, event) -> made.incrementAndGet())
                    .forPath(PATHS.lock("idle " + i));
        }
        await("all names").atMost(PATIENCE).until(() -> made.get() == 2000);
        ZooKeeperBackend backend = Clients.of(server.address(), Clients.LONG).connect();
        try (Holdfast other = Holdfast.over(backend)) {
            other.lock("first").acquire(PATIENCE).close();
            long before = server.received();
            CompletableFuture<List<LockState>> listing =
                    backend.list("idle", Integer.MAX_VALUE).toCompletableFuture();
            listing.cancel(true);
            await("no more than the names is asked for")
                    .during(Duration.ofSeconds(2))
                    .atMost(PATIENCE)
                    .until(() -> server.received() - before < 1000);
        }
    }
}

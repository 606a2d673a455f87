package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.Severity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims that a later release may make, and nodes of another version beside ours. */
@Timeout(120)
class WireFormatIT {
    @RegisterExtension
    static final Server server = new Server();

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private static Holdfast process(String namespace) {
        return Holdfast.over(
                Clients.of(server.address(), Clients.LONG).namespace(namespace).connect());
    }

    @Test
    void aClaimOfAnUnknownKindIsBusyAndShownAndNotTouched() throws Exception {
        // Behind it stands a claim that waits, with a note that this version does not know either.
        String theirs = "2\n1\n30000\n30000\nshared\nslot=3\n5\nelsewhere\na reader";
        String next = "2\n1\n30000\n30000\nshared\ncolour=red,since=9\n6\nelsewhere\nanother";
        Paths paths = Paths.below("/kinds");
        try (Holdfast process = process("kinds");
                Neighbour neighbour = new Neighbour(server.address(), paths)) {
            process.lock("report").acquire(PATIENCE).close();
            String first = neighbour.forge("report", 0, theirs);
            neighbour.forge("report", 1, next);
            assertThat(process.lock("report").tryAcquire()).isEmpty();
            LockState shown = process.inspect("report").orElseThrow();
            assertThat(shown.holder()).isEqualTo(new Holder("elsewhere", 5, "a reader"));
            assertThat(shown.waiters()).singleElement().satisfies(waiting -> {
                assertThat(waiting.process()).isEqualTo(new Holder("elsewhere", 6, "another"));
                assertThat(waiting.since()).isEqualTo(Instant.ofEpochMilli(9));
            });
            CompletableFuture<Lease> wanted = process.lock("report").acquireAsync(PATIENCE);
            await("the claim is queued")
                    .atMost(PATIENCE)
                    .until(() ->
                            process.inspect("report").orElseThrow().waiters().size() == 2);
            assertThat(new String(neighbour.curator().getData().forPath(first), StandardCharsets.UTF_8))
                    .isEqualTo(theirs);
            for (String claim : neighbour.claims("report").subList(0, 2)) {
                neighbour.delete(claim);
            }
            wanted.get().close();
        }
    }

    @Test
    void aNodeOfOthersBelowANameIsNoClaim() throws Exception {
        // Who asked once was told "busy" for as long as it was there, by whom nobody could say.
        Paths paths = Paths.below("/junk");
        try (Holdfast process = process("junk");
                Neighbour neighbour = new Neighbour(server.address(), paths)) {
            process.lock("report").acquire(PATIENCE).close();
            // The server removes nodes of names that nobody uses.
            neighbour.curator().create().creatingParentContainersIfNeeded().forPath(paths.lock("report") + "/junk");
            try (Lease held = process.lock("report").tryAcquire().orElseThrow()) {
                assertThat(held.isValid()).isTrue();
                assertThat(process.lock("report").tryAcquire()).isEmpty();
                try (Holdfast other = process("junk")) {
                    assertThat(other.lock("report").tryAcquire()).isEmpty();
                }
            }
            process.lock("report").acquire(PATIENCE).close();
        }
    }

    @Test
    void aWaiterShowsSinceWhenItWaits() throws Exception {
        // By its own clock, which is this one.
        try (Holdfast holder = process("since");
                Holdfast waiter = process("since")) {
            Lease held = holder.lock("report").acquire(PATIENCE);
            Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            CompletableFuture<Lease> wanted = waiter.lock("report").acquireAsync(PATIENCE);
            await("it waits")
                    .atMost(PATIENCE)
                    .until(() ->
                            !holder.inspect("report").orElseThrow().waiters().isEmpty());
            assertThat(holder.inspect("report").orElseThrow().waiters().get(0).since())
                    .isBetween(before, Instant.now());
            held.close();
            wanted.get().close();
        }
    }

    @Test
    void nodesOfAnotherVersionBesideAreFound() throws Exception {
        // The two do not see each other's claims: whoever upgrades has to know whether an old process is still there.
        try (Holdfast process = process("upgrade");
                Neighbour neighbour = new Neighbour(server.address(), new Paths("/upgrade/1"))) {
            process.lock("report").acquire(PATIENCE).close();
            assertThat(process.diagnose()).extracting(Finding::code).doesNotContain("zookeeper.other-version");
            String session = neighbour
                    .curator()
                    .create()
                    .creatingParentsIfNeeded()
                    .withMode(CreateMode.EPHEMERAL)
                    .forPath("/upgrade/1/sessions/0123456789abcdef-1");
            assertThat(process.diagnose())
                    .filteredOn(Finding::code, "zookeeper.other-version")
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
                    .satisfies(finding -> assertThat(finding.what())
                            .contains("/upgrade/1", "of version 1", "this is version 2", "still there: 1"));
            neighbour.delete(session);
            assertThat(process.diagnose())
                    .filteredOn(Finding::code, "zookeeper.other-version")
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.NOTE))
                    .satisfies(finding -> assertThat(finding.remedy()).contains("deleteall /upgrade/1"));
            // Whatever it is: not ours to remove.
            assertThat(neighbour.curator().checkExists().forPath("/upgrade/1/sessions"))
                    .isNotNull();
        }
    }

    @Test
    void aMinimumIsRefusedWithWhatToDoInstead() {
        // A lock here ends with the session of its process, so nobody could keep it once that has gone.
        try (Holdfast process = process("minimum")) {
            assertThat(process.guarantees().heldAtLeast()).isFalse();
            assertThatThrownBy(() -> {
                        var unused = process.lock("report").heldAtLeast(Duration.ofSeconds(5));
                    })
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContainingAll(
                            "'report'", "5.0 s", "cannot keep a lock that was closed", "Hold the lease open");
        }
    }
}

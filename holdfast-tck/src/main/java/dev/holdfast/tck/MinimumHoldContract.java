package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Locks that stay taken for a while after they were closed, where the store declares that it can keep them. */
interface MinimumHoldContract {
    @Test
    default void aLockThatIsReleasedLaterStaysTakenUntilThenAndNoLonger(Bench bench) {
        // The lease has a long time to go, the rest of the minimum is short: neither at once, nor when the lease would
        // end.
        if (refusedWhereNotDeclared(bench)) {
            return;
        }
        String name = bench.name("later");
        Client client = bench.client();
        Holding holding = client.hold(bench.claim(name));
        long sent = bench.now();
        assertThat(later(client, holding, bench.lease())).isTrue();
        client.describe(name).ifPresent(state -> assertThat(state.remaining()).isLessThanOrEqualTo(bench.lease()));
        requireFreeAfter(bench, holding, sent, bench.lease());
    }

    @Test
    default void aLockCanBeKeptForLongerThanItsLease(Bench bench) throws Exception {
        if (refusedWhereNotDeclared(bench)) {
            return;
        }
        Client client = bench.client();
        bench.inTime(bench.lease(), lease -> {
            String name = bench.name("longer than " + lease);
            long began = bench.now();
            Holding holding = client.hold(bench.claim(name, lease, 1, false));
            if (bench.now() - began > lease.toNanos() / 4) {
                return false;
            }
            long sent = bench.now();
            boolean kept = later(client, holding, lease.multipliedBy(3));
            if (!kept && bench.now() - began > lease.toNanos() / 2) {
                return false;
            }
            assertThat(kept).isTrue();
            requireFreeAfter(bench, holding, sent, lease.multipliedBy(3));
            return true;
        });
    }

    private static void requireFreeAfter(Bench bench, Holding holding, long sent, Duration keep) {
        Client rival = bench.client();
        long last = rival.askUntilGranted(bench.claim(holding.key()), keep.plus(bench.patience()))
                .lastToken();
        assertThat(bench.now() - sent).isGreaterThanOrEqualTo(keep.toNanos() - Validity.driftNanos(keep));
        assertThat(last).isGreaterThan(holding.lastToken());
    }

    @Test
    default void aWaiterIsServedWhenTheLockThatIsReleasedLaterIsFree(Bench bench) throws Exception {
        // It was told to look again when the lease would have ended, a long time after this.
        if (refusedWhereNotDeclared(bench)) {
            return;
        }
        String name = bench.name("waits for later");
        Client client = bench.client();
        Holding holding = client.hold(bench.claim(name));
        Holdfast waiting = bench.holdfast();
        var served = waiting.lock(name).acquireAsync(Duration.ofSeconds(60));
        bench.await(
                "the claim has arrived",
                () -> !bench.isFair() || !client.state(name).waiters().isEmpty());
        assertThat(later(client, holding, bench.lease())).isTrue();
        bench.get("the lock that was released later", served).close();
    }

    @Test
    default void releasingLaterComparesTheOwnerAndCanBeSentAgain(Bench bench) {
        if (refusedWhereNotDeclared(bench)) {
            return;
        }
        String name = bench.name("compared");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        Holding holding = client.hold(claim);
        Holding foreign = new Holding(name, bench.owner(), holding.lastToken(), holding.lease());
        assertThat(later(client, foreign, Duration.ofMillis(1))).isFalse();
        assertThat(client.renew(holding)).isInstanceOf(Renewal.Renewed.class);
        assertThat(later(client, holding, Bench.LONG)).isTrue();
        assertThat(later(client, holding, bench.lease())).isTrue();
        bench.client().askUntilGranted(bench.claim(name));
        assertThat(later(client, holding, Bench.LONG)).isFalse();
    }

    @Test
    default void aLeaseThatIsClosedEarlyLeavesTheLockTakenForItsMinimum(Bench bench) throws Exception {
        if (refusedWhereNotDeclared(bench)) {
            return;
        }
        String name = bench.name("closed early");
        Holdfast holder = bench.holdfast();
        long before = bench.now();
        Duration minimum = bench.lease().multipliedBy(2);
        Lease lease = holder.lock(name).heldAtLeast(minimum).acquire(bench.patience());
        var here = holder.lock(name).acquireAsync(Duration.ofSeconds(60));
        lease.close();
        assertThat(lease.isValid()).isFalse();
        Lease next = bench.get("the lock after its minimum", here);
        assertThat(bench.now() - before).isGreaterThanOrEqualTo(minimum.toNanos() - Validity.driftNanos(minimum));
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
    }

    private static boolean refusedWhereNotDeclared(Bench bench) {
        if (bench.guarantees().heldAtLeast()) {
            return false;
        }
        String name = bench.name("not declared");
        Client client = bench.client();
        Holding holding = client.hold(bench.claim(name));
        assertThatThrownBy(() -> client.backend
                        .releaseLater(holding, bench.lease())
                        .toCompletableFuture()
                        .join())
                .hasCauseInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> {
                    var unused = bench.holdfast().lock(name).heldAtLeast(bench.lease());
                })
                .isInstanceOf(UnsupportedOperationException.class);
        return true;
    }

    private static boolean later(Client client, Holding holding, Duration keep) {
        return client.answerOf(client.backend.releaseLater(holding, keep));
    }
}

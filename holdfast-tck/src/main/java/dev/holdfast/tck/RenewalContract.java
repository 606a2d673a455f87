package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Renewal lengthens what is held, and only that. */
interface RenewalContract {
    @Test
    default void aRenewedLockOutlivesItsFirstLease(Bench bench) throws Exception {
        // Acquired for a short lease, renewed for a long one. Past the end of the first it is still held.
        Client client = bench.client();
        Client rival = bench.client();
        bench.inTime(bench.lease(), lease -> {
            String name = bench.name("renewed for " + lease);
            Claim claim = bench.claim(name, lease, 1, false);
            Grant grant = client.acquire(claim);
            Holding longer = new Holding(name, claim.owner(), grant.lastToken(), Bench.LONG);
            Renewal renewal = client.renew(longer);
            if (renewal instanceof Renewal.Gone && bench.now() - grant.validUntilNanos() >= 0) {
                return false;
            }
            assertThat(renewal).isInstanceOf(Renewal.Renewed.class);
            bench.awaitTime(bench.now() + 2 * lease.toNanos());
            rival.busy(bench.claim(name));
            assertThat(client.release(longer)).isTrue();
            return true;
        });
    }

    @Test
    default void anOpenLeaseIsHeldForManyLeaseDurations(Bench bench) throws Exception {
        // A user holds a lock for longer than its lease: it is renewed in the background, by the same owner.
        Holdfast holdfast = bench.holdfast();
        Client rival = bench.client();
        bench.inTime(bench.lease().multipliedBy(3), duration -> {
            String name = bench.name("open for " + duration);
            try (Lease lease = holdfast.lock(name).withLease(duration).acquire(bench.patience())) {
                long looked = bench.now() - duration.minus(lease.remaining()).toNanos();
                long slowest = 0;
                String beside = bench.name("beside it for " + duration);
                Optional<TenureHandle> tenure = tenure(rival, name);
                long end = bench.now() + 2 * duration.toNanos();
                while (bench.now() - end < 0) {
                    bench.awaitTime(bench.now() + duration.toNanos() / 10);
                    Answer answer = rival.ask(bench.claim(name));
                    Optional<TenureHandle> still = tenure(rival, name);
                    boolean valid = lease.isValid();
                    // Something is written as well, as by a renewal.
                    assertThat(rival.release(rival.hold(bench.claim(beside)))).isTrue();
                    slowest = Math.max(slowest, bench.now() - looked);
                    // Where it took as long as this to look, renewals may have come too late.
                    if (slowest > duration.toNanos() / 3) {
                        return false;
                    }
                    looked = bench.now();
                    assertThat(answer).isInstanceOf(Answer.Busy.class);
                    assertThat(valid).isTrue();
                    assertThat(still).isPresent().isEqualTo(tenure);
                }
            }
            assertThat(rival.describe(name)).isEmpty();
            return true;
        });
    }

    private static Optional<TenureHandle> tenure(Client client, String name) {
        return client.describe(name).map(LockState::tenure);
    }

    @Test
    default void renewalNeverShortens(Bench bench) {
        // A late renewal with a short lease meets a lock that has a long time to go.
        String name = bench.name("shorten");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        Grant grant = client.acquire(claim);
        Holding shorter = new Holding(name, claim.owner(), grant.lastToken(), bench.lease());
        assertThat(client.renew(shorter)).isInstanceOf(Renewal.Renewed.class);
        bench.awaitTime(bench.now() + 2 * bench.lease().toNanos());
        assertThat(client.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }

    @Test
    default void renewalComparesTheTokenBesideTheOwner(Bench bench) {
        // The right owner with the token of another grant is another grant.
        String name = bench.name("token");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        Grant grant = client.acquire(claim);
        Holding other = new Holding(name, claim.owner(), grant.lastToken() + 1, Bench.LONG);
        assertThat(client.renew(other)).isInstanceOf(Renewal.Gone.class);
        assertThat(client.renew(Client.holding(claim, grant))).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    default void aBatchReportsEachItemInItsOrder(Bench bench) {
        // Held, released, held, never held, somebody else's, held.
        Client client = bench.client();
        Holding first = client.hold(bench.claim(bench.name("first")));
        Holding released = client.hold(bench.claim(bench.name("released")));
        assertThat(client.release(released)).isTrue();
        Holding second = client.hold(bench.claim(bench.name("second")));
        Holding never = new Holding(bench.name("never"), bench.owner(), 1, Bench.LONG);
        Holding foreign = bench.client().hold(bench.claim(bench.name("foreign")));
        Holding mistaken = new Holding(foreign.key(), bench.owner(), foreign.lastToken(), Bench.LONG);
        Holding third = client.hold(bench.claim(bench.name("third")));

        List<Renewal> answers = client.renew(List.of(first, released, second, never, mistaken, third));
        assertThat(answers.stream().<Class<?>>map(Object::getClass).toList())
                .containsExactly(
                        Renewal.Renewed.class,
                        Renewal.Gone.class,
                        Renewal.Renewed.class,
                        Renewal.Gone.class,
                        Renewal.Gone.class,
                        Renewal.Renewed.class);
        assertThat(client.renew(List.of())).isEmpty();
    }

    @Test
    default void aLargeBatchIsRenewedWhole(Bench bench) {
        // More than fits into one small request, spread over all of the store.
        Client client = bench.client();
        List<Holding> holdings = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            holdings.add(client.hold(bench.claim(bench.name("large-" + i))));
            // A slow machine needs longer than a lease for all of them.
            if (i % 50 == 49) {
                assertThat(client.renew(holdings)).allMatch(Renewal.Renewed.class::isInstance);
            }
        }
        assertThat(client.renew(holdings)).hasSize(150).allMatch(Renewal.Renewed.class::isInstance);
    }
}

package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import org.junit.jupiter.api.Test;

/** A lease ends by itself, not before its holder knows; and then its holder can do no more harm. */
interface ExpiryContract {
    @Test
    default void anExpiredLockIsFreeForOthersAndNotBeforeItsHolderKnows(Bench bench) {
        // The holder goes silent. A rival keeps asking.
        String name = bench.name("expiry");
        Grant first = bench.client().acquire(bench.brief(name));
        bench.client().askUntilGranted(bench.claim(name));
        assertThat(bench.now() - first.validUntilNanos())
                .as("nanoseconds from the end of the holder's validity to the successor's grant")
                .isNotNegative();
    }

    @Test
    default void validityIsCountedFromBeforeTheRequestWithDriftTakenOff(Bench bench) {
        // What the grant and the renewal say must not promise more than the store can have given.
        String name = bench.name("validity");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        long before = bench.now();
        Grant grant = client.acquire(claim);
        requireHonest(grant.validUntilNanos(), before, bench.now());
        before = bench.now();
        Renewal renewal = client.renew(Client.holding(claim, grant));
        assertThat(renewal).isInstanceOf(Renewal.Renewed.class);
        requireHonest(((Renewal.Renewed) renewal).validUntilNanos(), before, bench.now());
    }

    private static void requireHonest(long validUntilNanos, long beforeNanos, long afterNanos) {
        long longest = Bench.LONG.toNanos() - Validity.driftNanos(Bench.LONG);
        assertThat(validUntilNanos - afterNanos).as("validity after the answer").isLessThanOrEqualTo(longest);
        assertThat(validUntilNanos - beforeNanos).as("validity of a full lease").isGreaterThan(longest / 2);
    }

    @Test
    default void aStaleHolderCanNeitherRenewNorReleaseNorWithdrawItsSuccessor(Bench bench) {
        // The first holder sleeps past its lease, a rival acquires, the first one wakes up and does all it can do.
        String name = bench.name("stale");
        Client sleeper = bench.client();
        Claim slept = bench.brief(name);
        Holding stale = sleeper.hold(slept);
        Client successor = bench.client();
        Claim claim = bench.claim(name);
        Grant grant = successor.askUntilGranted(claim);

        assertThat(sleeper.renew(stale)).isInstanceOf(Renewal.Gone.class);
        assertThat(sleeper.release(stale)).isFalse();
        sleeper.withdraw(slept);
        assertThat(sleeper.releaseAndClaim(stale, bench.claim(name))).isInstanceOf(Answer.Busy.class);

        LockState state = sleeper.state(name);
        assertThat(state.tenure()).isEqualTo(TenureHandle.of(claim.owner()));
        assertThat(state.tokens().last().value()).isEqualTo(grant.lastToken());
        assertThat(successor.renew(Client.holding(claim, grant))).isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    default void anExpiredTenureIsNotRevived(Bench bench) {
        // The lease ends, nobody else wants the lock, and the holder comes back: its time is over all the same.
        String name = bench.name("revival");
        Client client = bench.client();
        Holding holding = client.hold(bench.brief(name));
        bench.await("the lock expires", () -> client.describe(name).isEmpty());
        assertThat(client.renew(holding)).isInstanceOf(Renewal.Gone.class);
        assertThat(client.release(holding)).isFalse();
        assertThat(client.describe(name)).isEmpty();
    }

    @Test
    default void aClosedClientLeavesItsLockToExpire(Bench bench) {
        // close() must not free a lock: its holder may still be working.
        String name = bench.name("closed");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        client.acquire(claim);
        client.close();
        Client other = bench.client();
        other.busy(bench.claim(name));
        assertThat(other.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }
}

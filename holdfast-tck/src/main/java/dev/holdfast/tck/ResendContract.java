package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Client libraries resend: every request is harmless the second time. */
interface ResendContract {
    @Test
    default void aResentAcquireIsAnsweredWithTheSameGrant(Bench bench) {
        // The same claim three times, then one release: nothing is held twice.
        String name = bench.name("acquire");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        Grant grant = client.acquire(claim);
        for (int i = 0; i < 2; i++) {
            requireSame(grant, client.acquire(claim));
        }
        assertThat(client.state(name).tokens().last().value()).isEqualTo(grant.lastToken());
        assertThat(client.release(Client.holding(claim, grant))).isTrue();
        assertThat(client.describe(name)).isEmpty();
    }

    @Test
    default void anAcquireThatIsSentManyTimesAtOnceIsGrantedOnce(Bench bench) throws Exception {
        // All copies are the same claim, so all get the same grant.
        Client client = bench.client();
        for (int round = 0; round < 10; round++) {
            Claim claim = bench.claim(bench.name("copies-" + round));
            Callable<Grant> ask = () -> client.acquire(claim);
            List<Grant> grants = bench.together(Collections.nCopies(4, ask));
            grants.forEach(grant -> requireSame(grants.get(0), grant));
        }
    }

    @Test
    default void askingAgainAfterThePushIsAnsweredWithThePushedGrant(Bench bench) {
        // Push and answer may come in either order; both mean the same tenure.
        String name = bench.name("pushed");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client waiter = bench.client();
        Claim claim = bench.queueing(name);
        waiter.busy(claim);
        assertThat(holder.release(held)).isTrue();
        Grant grant = waiter.awaitTurn(claim);
        requireSame(grant, waiter.acquire(claim));
    }

    @Test
    default void aResentQueueingClaimKeepsItsOnePlace(Bench bench) {
        // The first waiter asks again behind the second, and stays the first.
        String name = bench.name("place");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client first = bench.client();
        Claim early = bench.queueing(name);
        Client second = bench.client();
        Claim late = bench.queueing(name);
        first.busy(early);
        second.busy(late);
        first.busy(early);
        assertThat(holder.state(name).waiters()).hasSize(bench.isFair() ? 2 : 0);
        assertThat(holder.release(held)).isTrue();
        if (bench.isFair()) {
            first.awaitTurn(early);
            second.busy(late);
        }
    }

    @Test
    default void aResentReleaseTouchesNothing(Bench bench) {
        // False the second time, and false again when somebody else holds the lock by then.
        String name = bench.name("release");
        Client client = bench.client();
        Holding held = client.hold(bench.claim(name));
        assertThat(client.release(held)).isTrue();
        assertThat(client.release(held)).isFalse();
        Client successor = bench.client();
        Claim claim = bench.claim(name);
        successor.acquire(claim);
        assertThat(client.release(held)).isFalse();
        assertThat(client.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }

    @Test
    default void aResentReleaseDoesNotSkipAWaiter(Bench bench) {
        // The lock went to the first of two waiters; the copy of the release must not take it on to the second.
        String name = bench.name("skip");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client first = bench.client();
        Claim early = bench.queueing(name);
        first.busy(early);
        Client second = bench.client();
        Claim late = bench.queueing(name);
        second.busy(late);
        assertThat(holder.release(held)).isTrue();
        boolean chooses = bench.handsOver() && !bench.isFair();
        bench.await("somebody is served", () -> !chooses || first.wasPushed(early) || second.wasPushed(late));
        Client served = !chooses || first.wasPushed(early) ? first : second;
        Claim claim = served == first ? early : late;
        served.awaitTurn(claim);
        assertThat(holder.release(held)).isFalse();
        assertThat(holder.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }

    private static void requireSame(Grant expected, Grant actual) {
        assertThat(actual.lastToken()).as("last token").isEqualTo(expected.lastToken());
        assertThat(actual.tokens()).as("size of the block").isEqualTo(expected.tokens());
    }
}

package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import dev.holdfast.TokenRange;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What operators see, and the one thing they can do. */
interface InspectionContract {
    @Test
    default void aHeldLockIsDescribed(Bench bench) {
        // Everything that was said about the holder comes back as it was, from another client.
        String name = bench.name("described");
        Claim claim = bench.describedAs(bench.claim(name), "Rückbuchung: \"42\" {a|b} 'c' \\ 漢 🔒");
        Grant grant = bench.client().acquire(claim);
        LockState state = bench.client().state(name);
        assertThat(state.name()).isEqualTo(name);
        assertThat(state.tenure()).isEqualTo(TenureHandle.of(claim.owner()));
        assertThat(state.holder()).isEqualTo(claim.holder());
        assertThat(state.tokens()).isEqualTo(TokenRange.endingWith(grant.lastToken(), grant.tokens()));
        // Whoever knows the owner can release the lock at the store: it must not get into logs.
        assertThat(state.toString() + state.tenure())
                .doesNotContain(claim.owner().toString());
        // The store's clock is its own, but it is no other century there.
        assertThat(Duration.between(state.since(), Instant.now()).abs()).isLessThan(Duration.ofHours(1));
        assertThat(state.remaining()).isPositive().isLessThanOrEqualTo(Bench.LONG);
        assertThat(state.waiters()).isEmpty();
    }

    @Test
    default void aFreeLockIsNotDescribed(Bench bench) {
        // Never held, released, expired: nobody holds it.
        Client client = bench.client();
        assertThat(client.describe(bench.name("never"))).isEmpty();
        Holding held = client.hold(bench.claim(bench.name("released")));
        assertThat(client.release(held)).isTrue();
        assertThat(client.describe(held.key())).isEmpty();
        String expiring = bench.name("expired");
        client.acquire(bench.brief(expiring));
        bench.await("the lock expires", () -> client.describe(expiring).isEmpty());
        assertThat(list(client, bench.prefix(), 100)).isEmpty();
    }

    @Test
    default void listingHonoursPrefixOrderAndLimit(Bench bench) {
        // Names around a prefix, written in another order than that of the alphabet.
        Client client = bench.client();
        for (String label : List.of("list-c", "list-a", "other", "list-b", "Xlist-a", "list")) {
            client.acquire(bench.claim(bench.name(label)));
        }
        String prefix = bench.name("list-");
        Client other = bench.client();
        assertThat(list(other, prefix, 100)).containsExactly(prefix + "a", prefix + "b", prefix + "c");
        assertThat(list(other, prefix, 2)).containsExactly(prefix + "a", prefix + "b");
        assertThat(list(other, bench.name("list-b"), 100)).containsExactly(prefix + "b");
        assertThat(list(other, bench.name("nothing"), 100)).isEmpty();
    }

    @Test
    default void aPrefixIsTextAndNotAPattern(Bench bench) {
        // What is a wildcard in SQL or in a glob is a character here.
        Client client = bench.client();
        List<String> labels = List.of("w*x", "w?x", "w%x", "w_x", "w[x]x", "w\\x", "w.x");
        labels.forEach(label -> client.acquire(bench.claim(bench.name(label))));
        for (String label : labels) {
            String prefix = bench.name(label.substring(0, label.length() - 1));
            assertThat(list(client, prefix, 100)).containsExactly(bench.name(label));
        }
    }

    @Test
    default void breakingEndsOnlyTheOwnerThatWasSeen(Bench bench) {
        // An operator looks, the lock changes hands, the operator acts on what it saw.
        String name = bench.name("break");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        Grant grant = client.acquire(claim);
        Client operator = bench.client();
        assertThat(breakLock(operator, name, bench.owner())).isEmpty();
        assertThat(operator.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));

        assertThat(breakLock(operator, name, claim.owner())).hasValueSatisfying(broken -> {
            assertThat(broken.tenure()).isEqualTo(TenureHandle.of(claim.owner()));
            assertThat(broken.holder()).isEqualTo(claim.holder());
            assertThat(broken.tokens()).isEqualTo(TokenRange.endingWith(grant.lastToken(), grant.tokens()));
        });
        assertThat(operator.describe(name)).isEmpty();
        assertThat(breakLock(operator, name, claim.owner())).isEmpty();
    }

    @Test
    default void aBrokenHolderLearnsOfItWithItsNextRenewal(Bench bench) {
        // And it can no longer release, even if nobody has the lock by then.
        String name = bench.name("broken");
        Client client = bench.client();
        Holding held = client.hold(bench.claim(name));
        Client operator = bench.client();
        assertThat(breakLock(operator, name, held.owner())).isPresent();
        assertThat(client.renew(held)).isInstanceOf(Renewal.Gone.class);
        assertThat(client.release(held)).isFalse();
    }

    @Test
    default void breakingHandsOverLikeARelease(Bench bench) {
        // Somebody waits for the lock that is broken.
        String name = bench.name("break-over");
        Client client = bench.client();
        Holding held = client.hold(bench.claim(name));
        Client waiter = bench.client();
        Claim claim = bench.queueing(name);
        waiter.busy(claim);
        assertThat(breakLock(bench.client(), name, held.owner())).isPresent();
        assertThat(waiter.awaitTurn(claim).lastToken()).isGreaterThan(held.lastToken());
        assertThat(client.renew(held)).isInstanceOf(Renewal.Gone.class);
        assertThat(waiter.state(name).tenure()).isEqualTo(TenureHandle.of(claim.owner()));
    }

    private static List<String> list(Client client, String prefix, int limit) {
        return client.answerOf(client.backend.list(prefix, limit)).stream()
                .map(LockState::name)
                .toList();
    }

    private static Optional<LockState> breakLock(Client client, String name, Owner owner) {
        return client.answerOf(client.backend.breakLock(name, owner, 0));
    }
}

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
import java.util.Optional;

/** What a client was granted: a lock, a slot of a semaphore, or a share of a read-write lock. */
record Held(Client client, Claim claim, Grant grant) {
    Holding holding() {
        return Client.holding(claim, grant);
    }

    Owner owner() {
        return claim.owner();
    }

    int slot() {
        return grant.slot();
    }

    long firstToken() {
        return grant.lastToken() - grant.tokens() + 1;
    }

    long lastToken() {
        return grant.lastToken();
    }

    boolean release() {
        return client.release(holding());
    }

    /** Requires that the store still keeps it. */
    void requireKept() {
        assertThat(client.renew(holding())).as("the renewal of slot %d", slot()).isInstanceOf(Renewal.Renewed.class);
    }

    /** Requires that the store keeps it no longer. */
    void requireGone() {
        assertThat(client.renew(holding())).as("the renewal of slot %d", slot()).isInstanceOf(Renewal.Gone.class);
    }

    /** Requires that none of its tokens was handed out before. */
    void requireAbove(Held earlier) {
        assertThat(firstToken()).as("the lowest token").isGreaterThan(earlier.lastToken());
    }

    /** Requires that this is the same grant. */
    void requireSame(Grant again) {
        assertThat(again.slot()).as("slot").isEqualTo(slot());
        assertThat(again.lastToken()).as("last token").isEqualTo(lastToken());
        assertThat(again.tokens()).as("size of the block").isEqualTo(grant.tokens());
    }

    boolean isShownBy(LockState state) {
        return state.tenure().equals(TenureHandle.of(owner()));
    }

    /** Requires that this state shows it, and nothing else. */
    void requireShownBy(LockState state) {
        assertThat(state.key().encoded()).isEqualTo(claim.key());
        assertThat(state.tenure()).isEqualTo(TenureHandle.of(owner()));
        assertThat(state.slot()).isEqualTo(slot());
        assertThat(state.shared()).isEqualTo(claim.shared());
        assertThat(state.holder()).isEqualTo(claim.holder());
        assertThat(state.tokens()).isEqualTo(TokenRange.endingWith(lastToken(), grant.tokens()));
        assertThat(state.remaining()).isPositive().isLessThanOrEqualTo(claim.lease());
    }

    /** By an operator who saw it. */
    Optional<LockState> breakBy(Client operator) {
        return operator.answerOf(operator.backend.breakLock(claim.key(), owner(), slot()));
    }
}

package dev.holdfast.spi;

import java.util.Objects;

/**
 * Of {@link LockBackend#releaseAndClaim}: the tenure was provably ended, and then the claim failed. What the failure says
 * about the claim is in the cause, with the same meaning as if the claim had been asked alone.
 */
public final class ReleasedButClaimFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param claimFailure why the claim failed; a {@link NotSentException} if it was never sent */
    public ReleasedButClaimFailedException(Throwable claimFailure) {
        super(
                "released, but the claim that followed failed: "
                        + Failures.describe(Objects.requireNonNull(claimFailure, "claimFailure")),
                claimFailure);
    }

    /** Why the claim failed, as the backend said it: not masked, so that its type is kept. */
    public Throwable claimFailure() {
        return Objects.requireNonNull(getCause());
    }
}

package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.util.Objects;

/**
 * Names one tenure, so that {@link Holdfast#breakLock} ends that one and no other. Two handles are equal if they name the
 * same tenure. What is inside must not be shown: whoever knows it can release the lock at the store.
 */
public final class TenureHandle {
    private final Owner owner;

    private TenureHandle(Owner owner) {
        this.owner = Objects.requireNonNull(owner, "owner");
    }

    /** For backends. */
    public static TenureHandle of(Owner owner) {
        return new TenureHandle(owner);
    }

    /** For backends: whether it names the tenure of this owner. */
    public boolean isOf(Owner other) {
        return owner.equals(other);
    }

    Owner owner() {
        return owner;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenureHandle handle && owner.equals(handle.owner);
    }

    @Override
    public int hashCode() {
        return owner.hashCode();
    }

    @Override
    public String toString() {
        return "TenureHandle";
    }
}

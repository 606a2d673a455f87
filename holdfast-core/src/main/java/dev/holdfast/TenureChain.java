package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tenures of one key: usually none or one. A chain through {@link SharedTenure#next}, so that a name which is held once
 * costs no list. At most one of them is held alone; it is the last.
 */
final class TenureChain {
    private TenureChain() {}

    static @Nullable Tenure after(Tenure tenure) {
        return tenure instanceof SharedTenure shared ? shared.next : null;
    }

    /** Returns the first of the longer chain. */
    static Tenure add(@Nullable Tenure first, Tenure added) {
        if (first == null) {
            return added;
        }
        if (added instanceof SharedTenure shared) {
            shared.next = first;
            return shared;
        }
        Tenure last = first;
        for (Tenure each = first; each != null; each = after(each)) {
            last = each;
        }
        // Two that are held alone: core claims the second only after the first has ended.
        ((SharedTenure) last).next = added;
        return first;
    }

    /** Returns the first of the shorter chain. */
    static @Nullable Tenure remove(Tenure first, Tenure removed) {
        if (first == removed) {
            return after(first);
        }
        for (Tenure each = first; each instanceof SharedTenure shared; each = Objects.requireNonNull(shared.next)) {
            if (shared.next == removed) {
                shared.next = after(removed);
                break;
            }
        }
        return first;
    }

    static boolean contains(@Nullable Tenure first, Tenure which) {
        for (Tenure each = first; each != null; each = after(each)) {
            if (each == which) {
                return true;
            }
        }
        return false;
    }

    static @Nullable Tenure of(@Nullable Tenure first, Owner owner) {
        for (Tenure each = first; each != null; each = after(each)) {
            if (each.owner.equals(owner)) {
                return each;
            }
        }
        return null;
    }

    /** The one that leaves no room for another. */
    static @Nullable Tenure heldAlone(@Nullable Tenure first) {
        Tenure last = first;
        for (Tenure each = first; each != null; each = after(each)) {
            last = each;
        }
        return last == null || last.isShared() ? null : last;
    }

    /** A copy: whoever walks over it may change the chain. */
    static List<Tenure> all(@Nullable Tenure first) {
        if (first == null) {
            return List.of();
        }
        if (after(first) == null) {
            return List.of(first);
        }
        List<Tenure> all = new ArrayList<>();
        for (Tenure each = first; each != null; each = after(each)) {
            all.add(each);
        }
        return all;
    }
}

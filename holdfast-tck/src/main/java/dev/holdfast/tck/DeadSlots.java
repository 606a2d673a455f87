package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The slots that killed processes held, and when the store will let go of each of them. */
final class DeadSlots {
    private static final class Slot {
        final LockState seen;
        final long endNanos;
        long latestEndNanos;

        Slot(LockState seen, long endNanos) {
            this.seen = seen;
            this.endNanos = endNanos;
            this.latestEndNanos = endNanos;
        }
    }

    private final Map<Integer, Slot> slots = new TreeMap<>();

    /** @param askedNanos before the answer, so the ends are no earlier than is noted: what comes before came too early */
    DeadSlots(List<LockState> states, long askedNanos) {
        for (LockState state : states) {
            if (isTheirs(state)) {
                slots.put(state.slot(), new Slot(state, endNanos(state, askedNanos)));
            }
        }
    }

    static boolean isTheirs(LockState state) {
        return state.holder().pid() != ProcessHandle.current().pid();
    }

    private static long endNanos(LockState state, long askedNanos) {
        return askedNanos + state.remaining().toNanos();
    }

    int count() {
        return slots.size();
    }

    /** Looked again: a last renewal may have been under way in the store when its process was killed. */
    void note(List<LockState> states, long askedNanos) {
        assertThat(states).extracting(LockState::slot).doesNotHaveDuplicates();
        for (LockState state : states) {
            Slot slot = slots.get(state.slot());
            if (slot != null && isTheirs(state)) {
                slot.latestEndNanos = Math.max(slot.latestEndNanos, endNanos(state, askedNanos));
            }
        }
    }

    /** Requires that these leases have exactly the slots of the dead. */
    void requireTakenOverBy(List<Lease> leases) {
        assertThat(leases.stream().map(Lease::slot).toList())
                .as("slots of those who waited")
                .containsExactlyInAnyOrderElementsOf(slots.keySet());
    }

    /** Requires that this lease began neither before the end of the one that it follows, nor late after it. */
    void requireInTime(Lease lease, long grantedNanos, Duration limit) {
        Slot slot = Objects.requireNonNull(slots.get(lease.slot()));
        assertThat(lease.token())
                .as("token for slot %d", lease.slot())
                .isGreaterThan(slot.seen.tokens().last());
        assertThat(slot.endNanos - grantedNanos)
                .as("nanoseconds before the end of slot %d", lease.slot())
                .isLessThan(ProcessContract.ROUNDING_NANOS);
        assertThat(Duration.ofNanos(grantedNanos - slot.latestEndNanos))
                .as("delay after the end of slot %d", lease.slot())
                .isLessThan(limit);
    }
}

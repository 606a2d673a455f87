package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Guarantees;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKind;

/** Not every store keeps semaphores and read-write locks. */
final class Kinds {
    private Kinds() {}

    /** Returns false where the store keeps this kind; where it does not, requires that it is refused with the reason. */
    static boolean refused(LockKind kind, Bench bench) {
        if (bench.guarantees().offers(kind)) {
            return false;
        }
        requireRefused(kind, bench.holdfast(), bench.name("not offered"));
        return true;
    }

    static void requireRefused(LockKind kind, Holdfast holdfast, String name) {
        Guarantees guarantees = holdfast.guarantees();
        String reason = guarantees.refusal(kind);
        assertThat(reason).as("why there is no %s", kind).isNotBlank().doesNotContain("\n");
        assertThatThrownBy(() -> handle(kind, holdfast, name))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(reason);
    }

    static Object handle(LockKind kind, Holdfast holdfast, String name) {
        return switch (kind) {
            case LOCK -> holdfast.lock(name);
            case SEMAPHORE -> holdfast.semaphore(name, 2);
            case READ_WRITE_LOCK -> holdfast.readWriteLock(name);
        };
    }
}

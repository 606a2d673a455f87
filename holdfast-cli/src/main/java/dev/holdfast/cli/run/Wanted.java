package dev.holdfast.cli.run;

import dev.holdfast.Acquirable;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.cli.output.LockReport;
import java.util.List;

/**
 * What the command is to hold.
 *
 * @param permits of a semaphore
 * @param shared whether it only reads
 */
public record Wanted(LockKey key, int permits, boolean shared) {
    public static Wanted lock(String name) {
        return new Wanted(LockKey.lock(name), 1, false);
    }

    public static Wanted permit(String name, int permits) {
        return new Wanted(LockKey.semaphore(name), permits, false);
    }

    public static Wanted reader(String name) {
        return new Wanted(LockKey.readWriteLock(name), 1, true);
    }

    public static Wanted writer(String name) {
        return new Wanted(LockKey.readWriteLock(name), 1, false);
    }

    String name() {
        return key.name();
    }

    Acquirable<?> at(Holdfast holdfast) {
        return switch (key.kind()) {
            case LOCK -> holdfast.lock(name());
            case SEMAPHORE -> holdfast.semaphore(name(), permits);
            case READ_WRITE_LOCK ->
                shared
                        ? holdfast.readWriteLock(name()).read()
                        : holdfast.readWriteLock(name()).write();
        };
    }

    /** Whether none of it can be had before one of these ends. */
    boolean isKeptBy(List<LockState> holders) {
        return key.kind() == LockKind.SEMAPHORE
                ? holders.stream().filter(each -> each.slot() < permits).count() >= permits
                : holders.stream().anyMatch(each -> !shared || !each.shared());
    }

    @Override
    public String toString() {
        return capitalized(key);
    }

    /** As the first words of a sentence. */
    static String capitalized(LockKey key) {
        return LockReport.capitalized(key);
    }
}

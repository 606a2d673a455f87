package dev.holdfast.cli;

import dev.holdfast.LockKey;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What a name means: a lock, unless one of these says otherwise. */
final class KindOption {
    @ArgGroup
    private @Nullable Choice choice;

    LockKey key(String name) {
        if (choice != null && choice.semaphore) {
            return LockKey.semaphore(name);
        }
        return choice != null && choice.readWrite ? LockKey.readWriteLock(name) : LockKey.lock(name);
    }

    private static final class Choice {
        @Option(names = "--semaphore", description = "NAME is a semaphore, not a lock.")
        private boolean semaphore;

        @Option(names = "--read-write", description = "NAME is a read-write lock, not a lock.")
        private boolean readWrite;
    }
}

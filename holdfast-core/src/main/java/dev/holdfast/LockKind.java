package dev.holdfast;

/**
 * What a name can be. A lock, a semaphore and a read-write lock of one name are three different things, which know nothing of
 * each other.
 */
public enum LockKind {
    /** One holder at a time: {@link Holdfast#lock}. Elections and locks of several names are made of these. */
    LOCK("lock"),
    /** At most so many holders, each on a slot of its own: {@link Holdfast#semaphore}. */
    SEMAPHORE("semaphore"),
    /** Either one writer or any number of readers: {@link Holdfast#readWriteLock}. */
    READ_WRITE_LOCK("read-write lock");

    private final String word;

    LockKind(String word) {
        this.word = word;
    }

    /** What people call it. */
    @Override
    public String toString() {
        return word;
    }
}

package dev.holdfast.proving.check;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A lock in somebody's hands.
 *
 * @param askedAt when the client asked for it
 * @param grantedAt when the client had the answer
 * @param believed when the client believed to hold it: from the answer to the moment before it began to give the lock back, or was
 *     told that it is gone, or reached the time until which the library had promised it, or was killed
 * @param inDoubt from a callback on until the client gave the lock back, where the library names no end: it said that the lock may be
 *     gone, so it may be in the client's hands as well, and is not free for others
 * @param told when and how the library said that it is gone
 * @param endedAt when the client began to give it back; empty if it was killed or never did
 * @param confirmed whether the library said that it was given back
 */
public record Hold(
        Section section,
        long askedAt,
        long grantedAt,
        OptionalLong token,
        List<Span> believed,
        Span inDoubt,
        Optional<Told> told,
        OptionalLong endedAt,
        boolean confirmed) {

    /**
     * The library said that the lock is gone.
     *
     * @param how callback, question, release
     */
    public record Told(long at, String how) {}

    long believedUntil() {
        return believed.isEmpty()
                ? grantedAt
                : believed.get(believed.size() - 1).to();
    }
}

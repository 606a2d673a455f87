package dev.holdfast.memory;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A guard for a resource that lives in this process: remembers the newest token it saw and refuses older ones. A token
 * protects only if the resource looks.
 *
 * <p>Call {@link #announce} before the first read: otherwise a stale write can still slip in between the new holder's read
 * and its write. Then write inside {@link #guarded}, which checks and writes in one step. Safe for use by many threads.
 */
public final class InMemoryFence {
    /** What all generations of one fence share. */
    private static final class Seen {
        // Guards the rest, and makes check and write one step.
        final ReentrantLock lock = new ReentrantLock();
        final List<GuardMove> moves = new ArrayList<>();
        int generation;
        long newest;
        // Readers do not refuse each other, so what refuses them is kept apart.
        long newestWriter;
    }

    private final String resource;
    private final int generation;
    private final Seen seen;

    /** A fence that has seen no token yet. */
    public InMemoryFence(String resource) {
        this(Objects.requireNonNull(resource, "resource"), 0, new Seen());
    }

    private InMemoryFence(String resource, int generation, Seen seen) {
        this.resource = resource;
        this.generation = GuardState.requireGeneration(generation);
        this.seen = seen;
    }

    /**
     * The same fence, for tokens of this generation: those of the lock store that is used since the fence was moved there.
     * They are refused until {@link #move} has been called.
     */
    public InMemoryFence withGeneration(int other) {
        return new InMemoryFence(resource, other, seen);
    }

    /**
     * Makes this token the newest, if none newer was seen.
     *
     * @throws StaleTokenException if a newer one was seen; nothing changed
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; nothing changed
     */
    public void announce(FencingToken token) {
        guarded(token, () -> token);
    }

    /**
     * As {@link #announce}, with the token of somebody who only reads ({@code readWriteLock(..).read()}): refused by a newer
     * writer's token only. Readers never refuse each other; writers with older tokens are refused from now on.
     *
     * @throws StaleTokenException if a newer token of a writer was seen; nothing changed
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; nothing changed
     */
    public void announceRead(FencingToken token) {
        seen.lock.lock();
        try {
            requireNotBelow(seen.newestWriter, token);
            seen.newest = Math.max(seen.newest, token.value());
        } finally {
            seen.lock.unlock();
        }
    }

    private void requireNotBelow(long newest, FencingToken token) {
        if (generation != seen.generation) {
            throw new WrongGenerationException(resource, token, generation, seen.generation);
        }
        if (token.value() < newest) {
            throw new StaleTokenException(resource, token, new FencingToken(newest));
        }
    }

    /**
     * Refuses a token that is no longer the newest.
     *
     * @throws StaleTokenException if a newer one was seen
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store
     */
    public void check(FencingToken token) {
        guarded(token, () -> token);
    }

    /**
     * Checks and writes in one step: nobody can announce a newer token in between.
     *
     * @throws StaleTokenException if a newer token was seen; the write did not run
     * @throws WrongGenerationException if the fence accepts the tokens of another lock store; the write did not run
     */
    public <T> T guarded(FencingToken token, Supplier<T> write) {
        seen.lock.lock();
        try {
            requireNotBelow(seen.newest, token);
            seen.newest = token.value();
            seen.newestWriter = token.value();
            return write.get();
        } finally {
            seen.lock.unlock();
        }
    }

    /** What the fence has seen, and how it was moved. Changes nothing. */
    public GuardState inspect() {
        seen.lock.lock();
        try {
            return GuardState.of(seen.generation, seen.newest, seen.moves);
        } finally {
            seen.lock.unlock();
        }
    }

    /**
     * Moves the fence to the tokens of another lock store, which may be smaller: from now on it accepts only tokens of that
     * generation, and refuses all earlier ones, whatever their size.
     *
     * @param shown what {@link #inspect} returned: the fence is moved only if nothing was announced or moved since
     * @param by who does it; recorded
     * @return false if the fence is not as it was shown; nothing changed
     * @throws IllegalArgumentException if the generation is not later than the one that was shown
     */
    public boolean move(GuardState shown, int toGeneration, String by) {
        GuardMove move = GuardMove.of(shown, toGeneration, by, Instant.now());
        seen.lock.lock();
        try {
            long newest = shown.newest().map(FencingToken::value).orElse(0L);
            if (seen.generation != shown.generation() || seen.newest != newest) {
                return false;
            }
            seen.moves.add(move);
            seen.generation = toGeneration;
            seen.newest = 0;
            seen.newestWriter = 0;
            return true;
        } finally {
            seen.lock.unlock();
        }
    }
}

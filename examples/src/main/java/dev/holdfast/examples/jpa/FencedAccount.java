package dev.holdfast.examples.jpa;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * An entity that keeps the newest token it has seen, and the version that JPA checks. They protect from different things:
 *
 * <ul>
 *   <li>The version: nobody has written between my read and my write. It does not know who holds the lock: a stale holder
 *       that reads afresh gets through, and the rightful one may be the one that has to start over.
 *   <li>The token: nobody has held the lock after me. It needs the version, which makes the comparison in {@link
 *       #announce} and the write one step: if a newer token is announced in between, the commit fails.
 * </ul>
 */
@Entity
public class FencedAccount {
    @Id
    private long id;

    private long balance;
    private long fence;

    /** The newest token of somebody who only read: {@code fence} has the newest writer's. */
    private long fenceReader;

    /** Which lock store the tokens in {@code fence} come from. Only {@link #moveFence} changes it. */
    private int fenceGeneration;

    @ElementCollection(fetch = FetchType.EAGER)
    @OrderColumn
    private List<FenceMove> fenceMoves = new ArrayList<>();

    @Version
    private long version;

    /** For JPA. */
    protected FencedAccount() {}

    public FencedAccount(long id) {
        this.id = id;
    }

    /**
     * Makes this token the newest; commit it before the first read that matters.
     *
     * @param generation which lock store the token comes from: a setting that stands beside the address of that store
     */
    public void announce(FencingToken token, int generation) {
        requireNotBelow(Math.max(fence, fenceReader), token, generation);
        fence = token.value();
    }

    /** The same for somebody who only reads: refused by a newer writer's token only. Readers never refuse each other. */
    public void announceRead(FencingToken token, int generation) {
        requireNotBelow(fence, token, generation);
        fenceReader = Math.max(fenceReader, token.value());
    }

    private void requireNotBelow(long newest, FencingToken token, int generation) {
        if (generation != fenceGeneration) {
            throw new WrongGenerationException("account " + id, token, generation, fenceGeneration);
        }
        if (token.value() < newest) {
            throw new StaleTokenException("account " + id, token, new FencingToken(newest));
        }
    }

    /** Changes the balance on behalf of whoever holds this token. */
    public void setBalance(FencingToken token, int generation, long balance) {
        announce(token, generation);
        this.balance = balance;
    }

    /** What the fence has seen, and how it was moved. */
    public GuardState fenceState() {
        return GuardState.of(
                fenceGeneration,
                Math.max(fence, fenceReader),
                fenceMoves.stream().map(FenceMove::recorded).toList());
    }

    /**
     * Moves the fence to the tokens of another lock store, which may be smaller, if it is still as it was shown. The version
     * makes it one step with the commit, as for a token.
     */
    public boolean moveFence(GuardState shown, int toGeneration, String by) {
        GuardMove move = GuardMove.of(shown, toGeneration, by, Instant.now());
        if (!fenceState().equals(shown)) {
            return false;
        }
        fenceMoves.add(new FenceMove(move));
        fenceGeneration = toGeneration;
        fence = 0;
        fenceReader = 0;
        return true;
    }

    /** Changes the balance on behalf of anybody: then only the version protects it. */
    public void setBalance(long balance) {
        this.balance = balance;
    }

    public long balance() {
        return balance;
    }
}

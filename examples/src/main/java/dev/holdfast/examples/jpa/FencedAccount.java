package dev.holdfast.examples.jpa;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

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

    @Version
    private long version;

    /** For JPA. */
    protected FencedAccount() {}

    public FencedAccount(long id) {
        this.id = id;
    }

    /** Makes this token the newest; commit it before the first read that matters. */
    public void announce(FencingToken token) {
        if (token.value() < fence) {
            throw new StaleTokenException("account " + id, token, new FencingToken(fence));
        }
        fence = token.value();
    }

    /** Changes the balance on behalf of whoever holds this token. */
    public void setBalance(FencingToken token, long balance) {
        announce(token);
        this.balance = balance;
    }

    /** Changes the balance on behalf of anybody: then only the version protects it. */
    public void setBalance(long balance) {
        this.balance = balance;
    }

    public long balance() {
        return balance;
    }
}

package dev.holdfast.examples.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.tck.FenceContract;
import dev.holdfast.tck.GuardedNumber;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.RollbackException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.hibernate.tool.schema.Action;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The story of the paused holder on a fenced entity, with Hibernate; and what optimistic locking does by itself. */
class JpaFenceTest extends FenceContract {
    private static final AtomicLong IDS = new AtomicLong();
    private static final EntityManagerFactory FACTORY = new HibernatePersistenceConfiguration("accounts")
            .managedClass(FencedAccount.class)
            .managedClass(FenceMove.class)
            .jdbcUrl("jdbc:h2:mem:accounts;DB_CLOSE_DELAY=-1")
            .schemaToolingAction(Action.CREATE_DROP)
            .createEntityManagerFactory();

    @AfterAll
    static void close() {
        FACTORY.close();
    }

    @Override
    protected GuardedNumber newNumber() {
        return new JpaNumber(IDS.incrementAndGet());
    }

    @Test
    void aTokenAnnouncedBetweenCheckAndCommitMakesTheCommitFail() {
        // The stale holder has loaded and checked; before it commits, the rival announces. The version catches it.
        long id = IDS.incrementAndGet();
        JpaNumber number = new JpaNumber(id);
        number.announce(new FencingToken(5));
        try (EntityManager stale = FACTORY.createEntityManager()) {
            stale.getTransaction().begin();
            stale.find(FencedAccount.class, id).setBalance(new FencingToken(5), 0, 1);
            number.announce(new FencingToken(6));
            assertThatThrownBy(() -> stale.getTransaction().commit())
                    .isInstanceOf(RollbackException.class)
                    .hasCauseInstanceOf(OptimisticLockException.class);
        }
        assertThat(number.read()).isZero();
    }

    @Test
    void aMoveBetweenCheckAndCommitMakesTheCommitFail() {
        // A holder of the old store has loaded and checked; before it commits, the fence is moved.
        long id = IDS.incrementAndGet();
        JpaNumber number = new JpaNumber(id);
        number.announce(new FencingToken(5));
        try (EntityManager late = FACTORY.createEntityManager()) {
            late.getTransaction().begin();
            late.find(FencedAccount.class, id).setBalance(new FencingToken(5), 0, 1);
            assertThat(number.move(number.inspect(), 1, "alice")).isTrue();
            assertThatThrownBy(() -> late.getTransaction().commit())
                    .isInstanceOf(RollbackException.class)
                    .hasCauseInstanceOf(OptimisticLockException.class);
        }
        assertThat(number.read()).isZero();
    }

    @Test
    void theVersionAloneLetsAStaleHolderThroughThatReadsAfresh() {
        // A paused holder wakes after the rival has finished, reads what is there now, and writes. No two transactions
        // overlap, so the version is content; the token is not.
        long id = IDS.incrementAndGet();
        JpaNumber number = new JpaNumber(id);
        number.write(new FencingToken(6), 10);
        assertThatThrownBy(() -> number.write(new FencingToken(5), 1)).isInstanceOf(StaleTokenException.class);
        inTransaction(em -> em.find(FencedAccount.class, id).setBalance(1));
        assertThat(number.read()).isEqualTo(1);
    }

    private static void inTransaction(Consumer<EntityManager> work) {
        FACTORY.runInTransaction(work);
    }

    private static <T> T fromTransaction(Function<EntityManager, T> work) {
        return FACTORY.callInTransaction(work);
    }

    private static final class JpaNumber implements GuardedNumber {
        private final long id;
        private final int generation;
        /** What was read, as a web page or another transaction would keep it, for optimistic locking. */
        private final Deque<FencedAccount> detached = new ArrayDeque<>();

        private JpaNumber(long id, int generation) {
            this.id = id;
            this.generation = generation;
        }

        JpaNumber(long id) {
            this(id, 0);
            inTransaction(em -> em.persist(new FencedAccount(id)));
        }

        @Override
        public long read() {
            FencedAccount account = fromTransaction(em -> em.find(FencedAccount.class, id));
            detached.add(account);
            return account.balance();
        }

        @Override
        public void overwrite(long value) {
            inTransaction(em -> em.createQuery("UPDATE FencedAccount SET balance = :value WHERE id = :id")
                    .setParameter("value", value)
                    .setParameter("id", id)
                    .executeUpdate());
        }

        @Override
        public void announce(FencingToken token) {
            inTransaction(em -> em.find(FencedAccount.class, id).announce(token, generation));
        }

        @Override
        public void announceRead(FencingToken token) {
            inTransaction(em -> em.find(FencedAccount.class, id).announceRead(token, generation));
        }

        @Override
        public void write(FencingToken token, long value) {
            inTransaction(em -> em.find(FencedAccount.class, id).setBalance(token, generation, value));
        }

        @Override
        public GuardedNumber withGeneration(int other) {
            return new JpaNumber(id, other);
        }

        @Override
        public GuardState inspect() {
            return fromTransaction(em -> em.find(FencedAccount.class, id).fenceState());
        }

        @Override
        public boolean move(GuardState shown, int toGeneration, String by) {
            return fromTransaction(em -> em.find(FencedAccount.class, id).moveFence(shown, toGeneration, by));
        }

        @Override
        public boolean writeIfUnchanged(long expected, long value) {
            FencedAccount asRead = detached.removeFirst();
            assertThat(asRead.balance()).isEqualTo(expected);
            asRead.setBalance(value);
            try {
                inTransaction(em -> em.merge(asRead));
                return true;
            } catch (OptimisticLockException e) {
                return false;
            }
        }
    }
}

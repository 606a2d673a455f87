package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The lock and the transaction: which is outside, and what happens within the caller's transaction. */
class LockedTransactionsTest {
    private static final Application APPLICATION = Application.of(Database.class, Service.class);

    private final Service service = APPLICATION.bean(Service.class);
    private final TransactionTemplate transactions = APPLICATION.bean(TransactionTemplate.class);
    private final List<String> seen = new ArrayList<>();
    private final TransactionExecutionListener listener = new TransactionExecutionListener() {
        @Override
        public void beforeBegin(TransactionExecution transaction) {
            seen.add("begin " + isHeld());
        }

        @Override
        public void afterCommit(TransactionExecution transaction, Throwable failure) {
            seen.add("committed " + isHeld());
        }

        @Override
        public void afterRollback(TransactionExecution transaction, Throwable failure) {
            seen.add("rolled back " + isHeld());
        }
    };

    @BeforeEach
    void listen() {
        ConfigurableTransactionManager manager =
                (ConfigurableTransactionManager) APPLICATION.bean(PlatformTransactionManager.class);
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        listeners.removeIf(each -> each.getClass().getEnclosingClass() == LockedTransactionsTest.class);
        listeners.add(listener);
        manager.setTransactionExecutionListeners(listeners);
    }

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(isHeld()).isFalse();
    }

    @AfterAll
    static void close() {
        APPLICATION.close();
    }

    private static boolean isHeld() {
        return APPLICATION.isHeld("stock");
    }

    private static int stock() {
        return APPLICATION.bean(JdbcTemplate.class).queryForObject("SELECT amount FROM stock", Integer.class);
    }

    @Test
    void theLockIsAcquiredBeforeTheBeginAndGivenBackAfterTheCommit() {
        int before = stock();
        service.add(1);
        assertThat(seen).containsExactly("begin true", "committed true");
        assertThat(stock()).isEqualTo(before + 1);
    }

    @Test
    void theLockIsGivenBackAfterTheRollback() {
        int before = stock();
        assertThatThrownBy(() -> service.addAndFail(1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(seen).containsExactly("begin true", "rolled back true");
        assertThat(stock()).isEqualTo(before);
    }

    @Test
    void withinTheCallersTransactionTheLockIsHeldUntilThatCompletes() {
        transactions.executeWithoutResult(transaction -> {
            service.add(1);
            assertThat(isHeld()).as("after the method").isTrue();
            TransactionSynchronizationManager.registerSynchronization(completed());
        });
        assertThat(seen).containsExactly("begin false", "completed true", "committed false");
    }

    @Test
    void withinTheCallersTransactionTheLockIsHeldUntilItRollsBack() {
        transactions.executeWithoutResult(transaction -> {
            service.add(1);
            TransactionSynchronizationManager.registerSynchronization(completed());
            transaction.setRollbackOnly();
        });
        assertThat(seen).containsExactly("begin false", "completed true", "rolled back false");
    }

    /** Spring calls this right after the database has answered, and the listener above when everybody has been called. */
    private TransactionSynchronization completed() {
        return new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return 0;
            }

            @Override
            public void afterCompletion(int status) {
                seen.add("completed " + isHeld());
            }
        };
    }

    @Test
    void aSecondCallInTheCallersTransactionJoinsTheLock() {
        // The first call's lock is still held for the transaction: the second would wait for its own thread.
        transactions.executeWithoutResult(transaction -> {
            service.add(1);
            service.add(1);
            assertThat(LockedContext.current()).isEmpty();
        });
    }

    @Test
    void aTransactionWithinASuspendedOneJoinsItsLockAndKeepsItsOwn() {
        transactions.executeWithoutResult(outer -> {
            service.add(1);
            TransactionTemplate separate = new TransactionTemplate(APPLICATION.bean(PlatformTransactionManager.class));
            separate.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
            separate.executeWithoutResult(inner -> {
                service.touch();
                service.other();
                assertThat(APPLICATION.isHeld("other")).isTrue();
            });
            assertThat(APPLICATION.isHeld("other"))
                    .as("the inner one's own lock, after it")
                    .isFalse();
            assertThat(isHeld()).isTrue();
            service.touch();
        });
    }

    @Test
    void locksOfATransactionThatCompletedOnAnotherThreadAreForgotten() throws Exception {
        // As with transactions of several resources: the completion comes from elsewhere, and this thread is used
        // again.
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        service.touch();
        assertThat(isHeld()).isTrue();
        List<TransactionSynchronization> elsewhere = TransactionSynchronizationManager.getSynchronizations();
        TransactionSynchronizationManager.clear();
        Thread thread = new Thread(() -> elsewhere.forEach(each -> each.afterCompletion(0)));
        thread.start();
        thread.join();
        assertThat(isHeld()).isFalse();
        withinTheCallersTransactionTheLockIsHeldUntilThatCompletes();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void withinTheCallersTransactionItMayRefuse() {
        transactions.executeWithoutResult(transaction -> {
            assertThatThrownBy(service::refusing)
                    .isInstanceOf(IllegalTransactionStateException.class)
                    .hasMessageContaining("'stock'");
            assertThat(isHeld()).isFalse();
        });
        service.refusing();
    }

    @Test
    void theCallersTransactionMayBeIgnored() {
        transactions.executeWithoutResult(transaction -> {
            service.ignoring();
            assertThat(isHeld()).isFalse();
        });
    }

    @Test
    void aLeaseThatIsLostInTheBodyRollsTheTransactionBack() {
        int before = stock();
        assertThatThrownBy(service::addTooSlowly).isInstanceOf(LeaseLostException.class);
        assertThat(stock()).isEqualTo(before);
        assertThat(seen).last().asString().startsWith("rolled back");
    }

    @Test
    void aLeaseThatIsLostBeforeTheCallersCommitRollsThatBack() {
        int before = stock();
        assertThatThrownBy(() -> transactions.executeWithoutResult(transaction -> {
                    APPLICATION.lose(service.addAndTellLease());
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(stock()).isEqualTo(before);
    }

    static class Service {
        private final JdbcTemplate jdbc;

        Service(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Locked(name = "stock", maxWait = "50ms")
        @Transactional
        public void add(int amount) {
            assertThat(isHeld()).isTrue();
            jdbc.update("UPDATE stock SET amount = amount + ?", amount);
        }

        @Locked("stock")
        @Transactional
        public void addAndFail(int amount) {
            add(amount);
            throw new IllegalArgumentException("no");
        }

        @Locked(name = "stock", maxWait = "50ms")
        public void touch() {}

        @Locked("other")
        public void other() {}

        @Locked(name = "stock", transaction = CallersTransaction.REFUSE)
        @Transactional
        public void refusing() {}

        @Locked(name = "stock", transaction = CallersTransaction.IGNORE)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void ignoring() {}

        @Locked("stock")
        @Transactional
        public void addTooSlowly() {
            add(1);
            APPLICATION.lose(LockedContext.current().orElseThrow().lease());
        }

        @Locked("stock")
        @Transactional
        public Lease addAndTellLease() {
            jdbc.update("UPDATE stock SET amount = amount + 1");
            return LockedContext.current().orElseThrow().lease();
        }
    }
}

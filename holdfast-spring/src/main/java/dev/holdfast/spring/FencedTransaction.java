package dev.holdfast.spring;

import dev.holdfast.Lease;
import dev.holdfast.jdbc.SqlFence;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * The transaction of a fenced method. It is begun here, so that nothing can come before the announcement; {@code @Transactional}
 * on the method then takes part in it. Needs spring-jdbc and holdfast-jdbc: nothing else refers to them. Immutable.
 */
final class FencedTransaction {
    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private final PlatformTransactionManager manager;
    private final DataSource dataSource;
    private final TransactionAttribute attribute;
    private final int generation;

    FencedTransaction(
            PlatformTransactionManager manager, DataSource dataSource, TransactionAttribute attribute, int generation) {
        this.manager = manager;
        this.dataSource = dataSource;
        this.attribute = attribute;
        this.generation = generation;
    }

    /**
     * Begins, announces the tokens, runs, commits. The database keeps newer tokens waiting from the announcement until the end of
     * the transaction, so what was read is still true when it commits, however long this process was paused.
     *
     * @throws dev.holdfast.StaleTokenException if the database has seen a newer token; the section did not run
     */
    <X extends Throwable> @Nullable Object run(HeldLocks held, LockedContext context, LockRunner.Section<X> section)
            throws X {
        TransactionStatus status = manager.getTransaction(attribute);
        Object result;
        try {
            announce(held);
            result = section.run(context);
            held.ensureNotLost();
        } catch (Throwable e) {
            completeAfter(e, status);
            throw e;
        }
        manager.commit(status);
        return result;
    }

    private void announce(HeldLocks held) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!DataSourceUtils.isConnectionTransactional(connection, dataSource)) {
                throw new IllegalTransactionStateException(
                        "The transaction does not run on a connection of the data source of " + manager
                                + ", so a token cannot be announced in it. Nothing was run.");
            }
            for (HeldLock each : held.all()) {
                Lease lease = each.lease();
                SqlFence.of(lease.name()).withGeneration(generation).announce(connection, lease.token());
            }
        } catch (SQLException e) {
            RuntimeException translated = TRANSLATOR.translate("announce the token of a lock", null, e);
            throw translated != null ? translated : new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** By the rules of {@code @Transactional}. What goes wrong here must not hide why the section failed. */
    private void completeAfter(Throwable failure, TransactionStatus status) {
        try {
            if (attribute.rollbackOn(failure)) {
                manager.rollback(status);
            } else {
                manager.commit(status);
            }
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }
}

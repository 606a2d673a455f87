package dev.holdfast.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stops a commit under a lease that was lost: the last moment at which the transaction can still roll back. The lock is outside the
 * transaction, so the interceptor would notice only after the commit; every transaction manager is asked to call here before.
 */
final class CommitCheck implements BeanPostProcessor, TransactionExecutionListener {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this);
        }
        return bean;
    }

    /** What is thrown here makes the transaction roll back. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        LockedContext.ensureNoneLost();
    }
}

package dev.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.StringUtils;

/**
 * Finds the transaction manager that {@code @Transactional} uses for a class. The order of the steps is Spring's: with another
 * manager the method would write in a second transaction, which announced nothing.
 */
final class TransactionManagers {
    private final ConfigurableListableBeanFactory beans;

    TransactionManagers(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** @throws IllegalStateException if it is one for reactive transactions */
    PlatformTransactionManager find(TransactionAttribute attribute, Class<?> targetClass) {
        TransactionManager found = byQualifiers(attribute, targetClass);
        if (found == null) {
            found = byConfigurer();
        }
        if (found == null) {
            found = beans.getBean(TransactionManager.class);
        }
        if (found instanceof PlatformTransactionManager manager) {
            return manager;
        }
        throw new IllegalStateException(found.getClass().getName() + " is for reactive transactions");
    }

    private @Nullable TransactionManager byQualifiers(TransactionAttribute attribute, Class<?> targetClass) {
        String qualifier = attribute.getQualifier();
        if (StringUtils.hasText(qualifier)) {
            return qualified(qualifier);
        }
        String ofClass = BeanFactoryAnnotationUtils.getQualifierValue(targetClass);
        if (!StringUtils.hasText(ofClass)) {
            return null;
        }
        try {
            return qualified(ofClass);
        } catch (NoSuchBeanDefinitionException meantForSomethingElse) {
            return null;
        }
    }

    private TransactionManager qualified(String qualifier) {
        return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier);
    }

    private @Nullable TransactionManager byConfigurer() {
        TransactionManagementConfigurer configurer =
                beans.getBeanProvider(TransactionManagementConfigurer.class).getIfUnique();
        return configurer == null ? null : configurer.annotationDrivenTransactionManager();
    }
}

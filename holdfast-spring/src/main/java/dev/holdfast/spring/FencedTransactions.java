package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.DelegatingTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/** Finds the transaction that a fenced method runs in, or says why there is none. */
final class FencedTransactions {
    private static final ClassLoader LOADER = FencedTransactions.class.getClassLoader();
    private static final boolean JDBC =
            isPresent("org.springframework.jdbc.datasource.DataSourceUtils") && isPresent("dev.holdfast.jdbc.SqlFence");
    private static final boolean JPA = isPresent("org.springframework.orm.jpa.JpaTransactionManager");

    private final ConfigurableListableBeanFactory beans;
    private final TransactionManagers managers;
    private final String generation;
    private final Set<DataSource> checked = Collections.newSetFromMap(new ConcurrentHashMap<>());

    FencedTransactions(ConfigurableListableBeanFactory beans, String generation) {
        this.beans = beans;
        this.generation = generation;
        this.managers = new TransactionManagers(beans);
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, LOADER);
    }

    /** Null if there is a problem, which is reported. */
    @Nullable
    FencedTransaction of(Method method, Class<?> targetClass, Consumer<String> report) {
        TransactionAttribute declared = attributes().getTransactionAttribute(method, targetClass);
        if (declared != null && !isJoining(declared)) {
            report.accept("fenced = true begins the transaction, and @Transactional would begin another one or none:"
                    + " use propagation REQUIRED");
            return null;
        }
        if (declared != null && declared.isReadOnly()) {
            report.accept("fenced = true writes its token, which a transaction that is read-only cannot do");
            return null;
        }
        String name = targetClass.getName() + "." + method.getName();
        return of(declared == null ? new DefaultTransactionAttribute() : declared, name, targetClass, report);
    }

    /** For a section without annotations. */
    FencedTransaction ofDefault() {
        Problems problems = new Problems();
        FencedTransaction found =
                of(new DefaultTransactionAttribute(), "LockTemplate", LockTemplate.class, problems::add);
        problems.throwIfAny();
        return Objects.requireNonNull(found);
    }

    private @Nullable FencedTransaction of(
            TransactionAttribute attribute, String name, Class<?> targetClass, Consumer<String> report) {
        if (!JDBC) {
            report.accept("fenced = true needs spring-jdbc and holdfast-jdbc on the class path");
            return null;
        }
        PlatformTransactionManager manager;
        try {
            manager = managers.find(attribute, targetClass);
        } catch (BeansException | IllegalStateException e) {
            report.accept("fenced = true needs a transaction manager, and none was found: " + e.getMessage());
            return null;
        }
        DataSource dataSource = dataSource(manager);
        if (dataSource == null) {
            report.accept("fenced = true cannot work with "
                    + manager.getClass().getName()
                    + ", which does not show its JDBC connection: use JdbcTransactionManager,"
                    + " DataSourceTransactionManager, or JpaTransactionManager with a data source");
            return null;
        }
        check(dataSource);
        Integer number = generation(report);
        return number == null
                ? null
                : new FencedTransaction(manager, dataSource, new Beginning(attribute, name), number);
    }

    /** A check that failed is repeated at the next use. Two threads may check the same one, which does no harm. */
    private void check(DataSource dataSource) {
        if (!checked.contains(dataSource)) {
            beans.getBeanProvider(FencedDataSourceCheck.class).orderedStream().forEach(each -> each.check(dataSource));
            checked.add(dataSource);
        }
    }

    private @Nullable Integer generation(Consumer<String> report) {
        try {
            return Integer.valueOf(String.valueOf(beans.resolveEmbeddedValue(generation)));
        } catch (IllegalArgumentException e) {
            report.accept("fenceGeneration = \"" + generation + "\" of @EnableLocking is no number: " + e.getMessage());
            return null;
        }
    }

    private TransactionAttributeSource attributes() {
        return beans.getBeanProvider(TransactionAttributeSource.class).getIfUnique(() -> {
            AnnotationTransactionAttributeSource own = new AnnotationTransactionAttributeSource(false);
            own.setEmbeddedValueResolver(beans::resolveEmbeddedValue);
            return own;
        });
    }

    private static boolean isJoining(TransactionDefinition declared) {
        int propagation = declared.getPropagationBehavior();
        return propagation == TransactionDefinition.PROPAGATION_REQUIRED
                || propagation == TransactionDefinition.PROPAGATION_SUPPORTS
                || propagation == TransactionDefinition.PROPAGATION_MANDATORY;
    }

    private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return dataSource;
        }
        return JPA ? Jpa.dataSource(manager) : null;
    }

    /** Apart, because spring-orm need not be there. */
    private static final class Jpa {
        static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }

    /** What {@code @Transactional} says, except that it begins. */
    @SuppressWarnings("serial")
    private static final class Beginning extends DelegatingTransactionAttribute {
        private final String name;

        Beginning(TransactionAttribute declared, String name) {
            super(declared);
            this.name = name;
        }

        @Override
        public int getPropagationBehavior() {
            return PROPAGATION_REQUIRED;
        }

        @Override
        public String getName() {
            return name;
        }
    }
}

package dev.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;

/**
 * Makes {@link Locked} work, and adds a {@link LockTemplate}. Put it on a configuration class; the locks come from the bean of type
 * {@link dev.holdfast.Holdfast}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(LockingRegistrar.class)
public @interface EnableLocking {
    /** Where locking stands unless {@link #order} says otherwise: outside {@code @Transactional}. */
    int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    /** Where the advice stands among others. It must come before that of {@code @Transactional}, which is the last by default. */
    int order() default DEFAULT_ORDER;

    /**
     * The generation of the guards of {@link Locked#fenced fenced} methods, as a number or <code>${...}</code>: it says which lock
     * store the tokens come from. Change it together with that store; see {@code SqlFence.withGeneration}.
     */
    String fenceGeneration() default "0";

    /** Whether proxies are subclasses, also of beans that have interfaces. Concerns all proxies of the application. */
    boolean proxyTargetClass() default false;
}

package dev.holdfast.benchmarks.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The annotation of {@link RedissonLockAspect}. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface RedissonLock {
    /** The name of the lock. */
    String value();
}

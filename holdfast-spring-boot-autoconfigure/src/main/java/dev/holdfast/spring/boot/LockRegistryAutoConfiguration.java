package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Locks for Spring Integration: aggregators, file locks and leader election over several processes. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(Holdfast.class)
public class LockRegistryAutoConfiguration {
    LockRegistryAutoConfiguration() {}

    /** The key's text is the name of the lock. */
    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    LockRegistry holdfastLockRegistry(Holdfast holdfast) {
        return key -> holdfast.lock(key.toString()).asLock();
    }
}

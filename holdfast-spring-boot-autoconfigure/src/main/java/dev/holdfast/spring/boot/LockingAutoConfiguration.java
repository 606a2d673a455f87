package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.EnableLocking;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;

/** Makes {@code @Locked} work. An {@link EnableLocking} of the application comes first, with its own attributes. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(Holdfast.class)
@EnableLocking(fenceGeneration = "${holdfast.fence-generation:0}")
public class LockingAutoConfiguration {
    LockingAutoConfiguration() {}
}

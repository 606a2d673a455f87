package dev.holdfast.spring.boot.test;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.testing.LockControls;
import dev.holdfast.testing.ManualTime;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The store and the clock of a {@link HoldfastTest}. As beans they come before whatever the application's properties name. */
@AutoConfiguration(before = HoldfastAutoConfiguration.class)
class LocksInMemory {
    @Bean
    ManualTime holdfastTime() {
        return new ManualTime();
    }

    @Bean
    InMemoryBackend holdfastMemory() {
        return new InMemoryBackend();
    }

    @Bean
    LockControls holdfastControls(InMemoryBackend memory) {
        return memory.controls();
    }
}

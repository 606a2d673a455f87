package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** A small application with locks in memory, and a second process beside it that wants the same locks. */
final class Application implements AutoCloseable {
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final Holdfast rival;

    private Application(Map<String, Object> properties, Class<?>... components) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.setClassLoader(components[components.length - 1].getClassLoader());
        context.register(Locks.class);
        context.register(components);
        context.refresh();
        rival = Holdfast.over(context.getBean(InMemoryBackend.class).another());
    }

    static Application of(Class<?>... components) {
        return new Application(Map.of(), components);
    }

    static Application with(Map<String, Object> properties, Class<?>... components) {
        return new Application(properties, components);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** The rival takes the lock, which must be free. */
    Lease taken(String name) throws InterruptedException {
        return rival.lock(name).tryAcquire().orElseThrow(() -> new AssertionError("'" + name + "' is not free"));
    }

    /** The rival waits for the lock. */
    Lease awaited(String name) throws InterruptedException {
        return rival.lock(name).acquire(Duration.ofSeconds(60));
    }

    /** The store forgets the lock and tells its holder. Returns when the holder knows. */
    void lose(Lease lease) {
        bean(InMemoryBackend.class).controls().lose(lease.name());
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !lease.isValid());
    }

    boolean isHeld(String name) {
        try {
            return rival.inspect(name).isPresent();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        rival.close();
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocking
    static class Locks {
        @Bean(destroyMethod = "")
        InMemoryBackend memory() {
            return new InMemoryBackend();
        }

        @Bean
        Holdfast holdfast(InMemoryBackend memory) {
            return Holdfast.builder(memory).closeGrace(Duration.ZERO).build();
        }
    }
}

package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastClosedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** When the Holdfast is closed. */
class LifecycleTest {
    private static final int WEB_SERVER = SmartLifecycle.DEFAULT_PHASE - 2048;

    private final ApplicationContextRunner runner = Contexts.runner();

    @Test
    void itIsClosedAfterTheWebServerAndBeforeItsClient() {
        List<String> seen = new CopyOnWriteArrayList<>();
        runner.withBean(Client.class, () -> new Client(seen))
                .withBean("web", Observer.class, () -> new Observer(WEB_SERVER, "web server", seen))
                .withBean("pool", Observer.class, () -> new Observer(0, "pools", seen))
                .withPropertyValues("holdfast.jdbc.initialize-schema=always")
                .run(context -> {
                    Holdfast holdfast = context.getBean(Holdfast.class);
                    context.getBeansOfType(Observer.class).values().forEach(each -> each.holdfast = holdfast);
                    context.getBean(Client.class).holdfast = holdfast;
                    context.close();
                });
        assertThat(seen).containsExactly("web server: open", "client stops: closed", "pools: closed", "client: closed");
    }

    @Test
    void aContextThatWasStoppedDoesNotStartWithAClosedHoldfast() {
        runner.withPropertyValues("holdfast.backend=memory").run(context -> {
            ConfigurableApplicationContext application =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            application.stop();
            assertThatThrownBy(() -> context.getBean(Holdfast.class).lock("a").acquire())
                    .isInstanceOf(HoldfastClosedException.class);
            assertThatThrownBy(application::start).hasStackTraceContaining("does not open again");
        });
    }

    @Test
    void aPausedContextKeepsItOpen() {
        // Spring 7 asks this of beans, and pauses contexts between test classes. There is no interface for it in 6.2.
        assertThat(new HoldfastLifecycle(null).isPauseable()).isFalse();
    }

    private static String state(Holdfast holdfast) {
        try {
            return holdfast.inspect("a").isPresent() ? "held" : "open";
        } catch (HoldfastClosedException e) {
            return "closed";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Stops before everything else if it may, as a client does that somebody gave a late phase. */
    private static final class Client extends DelegatingDataSource implements SmartLifecycle, DisposableBean {
        final List<String> seen;
        volatile Holdfast holdfast;
        volatile boolean running;

        Client(List<String> seen) {
            super(Contexts.newDatabase());
            this.seen = seen;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            seen.add("client stops: " + state(holdfast));
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return HoldfastLifecycle.PHASE + 1;
        }

        @Override
        public void destroy() {
            seen.add("client: " + state(holdfast));
        }
    }

    /** Notes whether the Holdfast is open when this phase stops. */
    private static final class Observer implements SmartLifecycle {
        final int phase;
        final String name;
        final List<String> seen;
        volatile Holdfast holdfast;
        volatile boolean running;

        Observer(int phase, String name, List<String> seen) {
            this.phase = phase;
            this.name = name;
            this.seen = seen;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            seen.add(name + ": " + state(holdfast));
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }
}

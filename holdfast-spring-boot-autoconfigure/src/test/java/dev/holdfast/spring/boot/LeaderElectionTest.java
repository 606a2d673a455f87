package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.DefaultLeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/** Spring Integration's leader election over the registry that is a bean. */
class LeaderElectionTest {
    @Test
    void aLeaderIsGrantedLosesItAndIsGrantedAgain() {
        List<String> events = new CopyOnWriteArrayList<>();
        InMemoryBackend memory = new InMemoryBackend();
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class))
                .withBean(InMemoryBackend.class, () -> memory)
                .run(context -> {
                    LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
                            context.getBean(LockRegistry.class), new DefaultCandidate("node", "leader"));
                    initiator.setLeaderEventPublisher(new Recorder(events));
                    initiator.setHeartBeatMillis(20);
                    initiator.setBusyWaitMillis(20);
                    initiator.start();
                    try {
                        await(() -> assertThat(events).containsExactly("granted"));
                        Holdfast holdfast = context.getBean(Holdfast.class);
                        assertThat(holdfast.inspect("leader")).isPresent();
                        memory.controls().lose("leader");
                        await(() -> assertThat(events).startsWith("granted", "revoked", "granted"));
                    } finally {
                        initiator.stop();
                    }
                    await(() -> assertThat(holdfastOf(context.getBean(Holdfast.class)))
                            .isEmpty());
                });
    }

    private static List<?> holdfastOf(Holdfast holdfast) throws InterruptedException {
        return holdfast.list("leader", 1);
    }

    private static void await(org.awaitility.core.ThrowingRunnable assertion) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
    }

    @Test
    void withoutSpringIntegrationThereIsNoRegistry() {
        Contexts.runner()
                .withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(LockRegistry.class))
                .withPropertyValues("holdfast.backend=memory")
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistryAutoConfiguration.class));
    }

    private static final class Recorder extends DefaultLeaderEventPublisher {
        private final List<String> events;

        Recorder(List<String> events) {
            this.events = events;
        }

        @Override
        public void publishOnGranted(
                Object source, org.springframework.integration.leader.Context context, String role) {
            events.add("granted");
        }

        @Override
        public void publishOnRevoked(
                Object source, org.springframework.integration.leader.Context context, String role) {
            events.add("revoked");
        }
    }
}

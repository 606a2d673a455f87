package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.InMemoryBackend;
import dev.holdfast.Lease;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class WatchTest {
    private final InMemoryBackend store = new InMemoryBackend();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @Test
    void aChildThatEndedAfterItsLeaseIsNoSuccess() throws Exception {
        // This process and its child were paused together. The lease ended, then the child did, and only then do we
        // look.
        Duration term = Duration.ofSeconds(1);
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        try (Holdfast holdfast =
                Holdfast.builder(store).closeGrace(Duration.ZERO).build()) {
            Lease lease = holdfast.lock("a").withLease(term).acquire();
            Child child = Child.start(List.of("sh", "-c", "exit 0"), Map.of(), events::add);
            store.controls().lose("a");
            await().atMost(Launched.PATIENCE).until(() -> !child.isAlive() && !lease.isValid());
            Watch watch = new Watch(lease, term, OnLoss.term, child, events, new Console(out, out, "", false));
            assertThat(watch.untilTheEnd()).isEqualTo(ExitCode.LOST);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("The command ended with 0");
    }
}

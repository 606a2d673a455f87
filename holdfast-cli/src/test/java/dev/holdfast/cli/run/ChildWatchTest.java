package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.memory.InMemoryBackend;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class ChildWatchTest {
    private final InMemoryBackend store = new InMemoryBackend();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @Test
    void aChildThatEndedAfterItsLeaseIsNoSuccess() throws Exception {
        // This process and its child were paused together. The lease ended, then the child did, and only then do we
        // look.
        // Long: a stall must not let the lease expire before its loss is noticed.
        Duration term = Duration.ofSeconds(30);
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        try (Holdfast holdfast =
                Holdfast.builder(store).closeGrace(Duration.ZERO).build()) {
            Lease lease = holdfast.lock("a").withLease(term).acquire();
            // A process id that no process can have.
            byte[] answers = "started 999999999\nended 0\n".getBytes(StandardCharsets.US_ASCII);
            LauncherPipe orders = new LauncherPipe(new ByteArrayOutputStream(), new ByteArrayInputStream(answers));
            Child child = Child.start(orders, Map.of(), OnLoss.term, 1, events::add);
            store.controls().lose("a");
            await().atMost(Duration.ofSeconds(60)).until(() -> !child.isAlive() && !lease.isValid());
            ChildWatch watch = new ChildWatch(
                    LockKey.lock("a"), lease, term, OnLoss.term, child, events, new Console(out, out, "", false));
            assertThat(watch.untilTheEnd()).isEqualTo(ExitCode.LOST);
        }
        // The callback had not come yet: "could not be renewed in time" was said of a lock that somebody had broken.
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("was lost after", "The command ended with 0");
    }
}

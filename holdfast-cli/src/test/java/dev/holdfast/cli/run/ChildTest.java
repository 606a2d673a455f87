package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.events.Event;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildTest {
    @Test
    void whoeverWaitsForTheCommandIsThereBeforeItStarts() throws Exception {
        // It used to be started after the command. Where no more threads were to be had, the command ran while its lock
        // was given back, and its exit code was lost.
        LinkedBlockingQueue<Boolean> listens = new LinkedBlockingQueue<>();
        OutputStream orders = new OutputStream() {
            @Override
            public void write(int ignored) {}

            @Override
            public void write(byte[] order) {
                if (new String(order, StandardCharsets.UTF_8).startsWith("start ")) {
                    listens.add(Thread.getAllStackTraces().keySet().stream()
                            .anyMatch(thread -> thread.getName().equals("holdfast-child")));
                }
            }
        };
        var answers = new ByteArrayInputStream("started 1\nended 7\n".getBytes(StandardCharsets.US_ASCII));
        LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Child child = Child.start(new LauncherPipe(orders, answers), Map.of(), OnLoss.kill, 1, events::add);
        assertThat(listens).containsExactly(true);
        assertThat(events.poll(60, TimeUnit.SECONDS)).isInstanceOf(Event.Exited.class);
        assertThat(child.exitCode()).hasValue(7);
    }
}

package dev.holdfast.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FirstConnectionTest {
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Console(new ByteArrayOutputStream(), err, "2", false);

    private static RuntimeException down() {
        return new NotSentException("no connection", new SQLException("refused", "08001"));
    }

    /** Fails so, then works. */
    private static class Flaky implements Store {
        final Deque<RuntimeException> failures;
        int asked;

        Flaky(RuntimeException... failures) {
            this.failures = new ArrayDeque<>(Arrays.asList(failures));
        }

        @Override
        public String label() {
            return "jdbc:somewhere";
        }

        @Override
        public synchronized LockBackend backend() {
            asked++;
            RuntimeException failure = failures.poll();
            if (failure != null) {
                throw failure;
            }
            return new InMemoryBackend();
        }

        @Override
        public String initialise() {
            return "";
        }
    }

    private FirstConnection to(Store store, @Nullable Duration maxWait) {
        return new FirstConnection(store, maxWait, events, console, Duration.ofMillis(500));
    }

    @Test
    void anOutageIsWaitedOut() throws Exception {
        // A server that was not back with the first attempt was the end of a run that would have waited for an hour.
        Flaky store = new Flaky(down(), down(), new LockUnavailableException("down", down()));
        FirstConnection connecting = to(store, Duration.ofHours(1));
        assertThat(connecting.await()).isNull();
        assertThat(connecting.backend()).isInstanceOf(InMemoryBackend.class);
        assertThat(connecting.leftForTheLock()).isBetween(Duration.ofMinutes(58), Duration.ofHours(1));
        assertThat(store.asked).isEqualTo(4);
    }

    @Test
    void withoutALimitForTheLockThereIsOneForTheStore() throws Exception {
        Flaky store = new Flaky(down());
        FirstConnection connecting = to(store, null);
        assertThat(connecting.await()).isNull();
        assertThat(connecting.leftForTheLock()).isNull();
    }

    @Test
    void whoDoesNotWaitAsksOnce() {
        Flaky store = new Flaky(down());
        assertThatThrownBy(() -> to(store, Duration.ZERO).await())
                .isInstanceOf(CliException.class)
                .hasMessageContaining("no connection. The store: jdbc:somewhere");
        assertThat(store.asked).isEqualTo(1);
    }

    @Test
    void aLimitEndsIt() {
        RuntimeException[] failures = new RuntimeException[1000];
        Arrays.setAll(failures, i -> down());
        assertThatThrownBy(() -> to(new Flaky(failures), Duration.ofSeconds(2)).await())
                .isInstanceOf(CliException.class)
                .hasMessageContaining("Tried for ");
    }

    @Test
    void aRefusalIsNoOutage() {
        // A wrong password does not get better by waiting: told at once, however long the wait.
        for (RuntimeException refused : new RuntimeException[] {
            new RefusedException("wrong password"),
            new LockUnavailableException("at the server", new RefusedException("wrong password")),
            new NotSentException("no connection", new SQLException("wrong password", "28P01")),
            new NotSentException("no connection", new SQLException("no such database", "3D000")),
            new IllegalArgumentException("no URL"),
            new CliException(ExitCode.UNAVAILABLE, "no driver")
        }) {
            Flaky store = new Flaky(refused);
            assertThatThrownBy(() -> to(store, Duration.ofHours(1)).await()).isSameAs(refused);
            assertThat(store.asked).isEqualTo(1);
        }
    }

    /** Gives no answer. */
    private static final class Hanging implements Store {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch never = new CountDownLatch(1);

        @Override
        public String label() {
            return "jdbc:nowhere";
        }

        @Override
        public LockBackend backend() {
            asked.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw down();
        }

        @Override
        public String initialise() {
            return "";
        }
    }

    @Test
    void aLimitHoldsAgainstAStoreThatHangs() {
        // The first attempt was given ten seconds, whatever the limit.
        Hanging hanging = new Hanging();
        long since = System.nanoTime();
        assertThatThrownBy(() -> to(hanging, Duration.ofMillis(600)).await())
                .isInstanceOf(CliException.class)
                .hasMessageContaining("No answer from jdbc:nowhere within ");
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(8));
        hanging.never.countDown();
    }

    @Test
    void aShortLimitLeavesTimeForAFirstConnectionOnABusyMachine() {
        // Where starting takes a second, so does connecting: a limit of a second said that a file did not answer.
        assertThat(FirstConnection.shortestAttempt(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(500));
        assertThat(FirstConnection.shortestAttempt(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(3));
        assertThat(FirstConnection.shortestAttempt(Duration.ofDays(1))).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aStoreThatHangsDoesNotKeepUsAtTheEnd() throws Exception {
        // A limit of 4 s ended after more than 6 s, because closing waited for a server that did not answer.
        CountDownLatch never = new CountDownLatch(1);
        LockBackend real = new InMemoryBackend();
        LockBackend slow = (LockBackend) Proxy.newProxyInstance(
                LockBackend.class.getClassLoader(), new Class<?>[] {LockBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        never.await();
                    }
                    return method.invoke(real, arguments);
                });
        Flaky store = new Flaky() {
            @Override
            public synchronized LockBackend backend() {
                return slow;
            }
        };
        // Would not return before the latch is down, which is below.
        assertThat(StoreSession.with(store, holdfast -> 7)).isEqualTo(7);
        never.countDown();
    }

    @Test
    void aSignalEndsIt() throws Exception {
        Hanging hanging = new Hanging();
        Thread signaller = new Thread(() -> {
            try {
                hanging.asked.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            events.add(new Event.Signalled("TERM", 15));
        });
        signaller.start();
        assertThat(to(hanging, Duration.ofHours(1)).await()).isEqualTo(new Event.Signalled("TERM", 15));
        hanging.never.countDown();
        signaller.join();
    }

    @Test
    void afterTwoSecondsATerminalShowsWhatIsWaitedFor() throws Exception {
        // Together they pause for three and a half seconds.
        RuntimeException[] failures = new RuntimeException[6];
        Arrays.setAll(failures, i -> down());
        assertThat(to(new Flaky(failures), Duration.ofHours(1)).await()).isNull();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Waiting for the store for ", "no connection");
    }

    @Test
    void aReasonIsInWords() {
        // Messages used to end in ": null", because exceptions of channels and timeouts have none.
        Store store = new Flaky();
        assertThat(StoreSession.unavailable(store, new IllegalStateException(null, new ClosedChannelException())))
                .hasMessageStartingWith("IllegalStateException: ClosedChannelException. The store: ");
        assertThat(StoreSession.unavailable(store, new IllegalStateException(null, new SQLException("refused"))))
                .hasMessageStartingWith("IllegalStateException: refused. The store: ");
    }
}

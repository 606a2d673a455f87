package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.ReleasedButClaimFailedException;
import dev.holdfast.testing.ManualTime;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What users catch: one root, facts as fields, and nothing that a remote call or a session store could not carry. */
class ExceptionsTest {
    private static final FencingToken OLD = new FencingToken(3);
    private static final FencingToken NEW = new FencingToken(4);
    private static final Holder HOLDER = new Holder("host", 7, "job");

    @Test
    void everyExceptionSurvivesSerialisation() {
        // A stale token threw NotSerializableException, and a lost lease came back without its loss.
        StaleTokenException stale = copy(new StaleTokenException("account", OLD, NEW));
        assertThat(stale.presented()).isEqualTo(OLD);
        assertThat(stale.newest()).isEqualTo(NEW);

        WrongGenerationException wrong = copy(new WrongGenerationException("account", OLD, 1, 2));
        assertThat(wrong.token()).isEqualTo(OLD);
        assertThat(wrong.presented()).isEqualTo(1);
        assertThat(wrong.current()).isEqualTo(2);

        Loss loss = new Loss(
                LockKey.lock("a"), OLD, Loss.Kind.LOST, Duration.ofSeconds(3), "it could not be renewed in time");
        assertThat(copy(new LeaseLostException(loss, "Stop.")).loss()).isEqualTo(loss);

        LockTimeoutException busy = copy(new LockTimeoutException("busy", "a", HOLDER, Duration.ofSeconds(2)));
        assertThat(busy.lockName()).isEqualTo("a");
        assertThat(busy.holder()).contains(HOLDER);
        assertThat(busy.waited()).isEqualTo(Duration.ofSeconds(2));

        LockUnavailableException down = copy(new LockUnavailableException(
                "down",
                "a",
                HOLDER,
                Duration.ofSeconds(2),
                new NotSentException("not sent", new IOException("reset"))));
        assertThat(down.lockName()).contains("a");
        assertThat(down.holder()).contains(HOLDER);
        assertThat(down.waited()).isEqualTo(Duration.ofSeconds(2));
        assertThat(down).hasRootCauseMessage("reset").hasCauseInstanceOf(NotSentException.class);

        assertThat(copy(new HoldfastClosedException("closed", "a")).lockName()).contains("a");
        assertThat(copy(new RefusedException("no such table"))).hasMessage("no such table");
        RefusedException coded = new RefusedException("store.no-table", "no such table", new IOException("42P01"));
        assertThat(copy(coded).code()).isEqualTo("store.no-table");
        assertThat(copy(new ReleasedButClaimFailedException(new IOException("reset")))
                        .claimFailure())
                .hasMessage("reset");
    }

    @Test
    void aCauseThatCannotBeSerialisedGoesAsAStandInThatPrintsTheSame() {
        LockUnavailableException original =
                new LockUnavailableException("down", "a", null, Duration.ofSeconds(1), new OfADriver("reset by peer"));
        assertThat(((OfADriver) original.getCause()).connection()).isNotNull();
        LockUnavailableException copy = copy(original);
        assertThat(copy).hasMessage("down");
        assertThat(copy.getStackTrace()).isEqualTo(original.getStackTrace());
        assertThat(copy.lockName()).contains("a");
        assertThat(copy.getCause())
                .isNotInstanceOf(OfADriver.class)
                .hasToString(OfADriver.class.getName() + ": reset by peer");
    }

    @Test
    void busyAndUnavailableSayWhoHoldsItAndHowLongWasWaited() {
        ManualTime time = new ManualTime();
        InMemoryBackend backend = new InMemoryBackend();
        try (Holdfast holder = Holdfast.builder(backend)
                        .environment(time)
                        .describedAs("holder")
                        .closeGrace(Duration.ZERO)
                        .build();
                Holdfast rival = Holdfast.builder(backend.another())
                        .environment(time)
                        .closeGrace(Duration.ZERO)
                        .build()) {
            holder.lock("a").acquireAsync().join();
            var waiting = rival.lock("a").acquireAsync(Duration.ofSeconds(2));
            time.advance(Duration.ofSeconds(2));
            assertThatThrownBy(waiting::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .asInstanceOf(type(LockTimeoutException.class))
                    .satisfies(busy -> {
                        assertThat(busy.lockName()).isEqualTo("a");
                        assertThat(busy.holder().orElseThrow().description()).isEqualTo("holder");
                        assertThat(busy.waited()).isEqualTo(Duration.ofSeconds(2));
                    });
            assertThatThrownBy(() -> holder.lock("a").acquire(Duration.ZERO))
                    .asInstanceOf(type(LockTimeoutException.class))
                    .satisfies(busy -> {
                        assertThat(busy.holder().orElseThrow().description()).isEqualTo("holder");
                        assertThat(busy.waited()).isZero();
                    });
        }
    }

    private static final class OfADriver extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // On purpose: this is what drivers do.
        private final Object connection = new Object();

        OfADriver(String message) {
            super(message);
        }

        Object connection() {
            return connection;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T copy(T exception) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(exception);
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                return (T) in.readObject();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class FailuresTest {
    @Test
    void aFailureIsDescribedByItsMessage() {
        assertThat(Failures.describe(new IOException("connection reset"))).isEqualTo("connection reset");
    }

    @Test
    void oneWithoutAMessageIsDescribedByItsClassAndItsCauses() {
        // Messages used to end in ": null".
        assertThat(Failures.describe(new ClosedChannelException())).isEqualTo("ClosedChannelException");
        assertThat(Failures.describe(new IOException("  "))).isEqualTo("IOException");
        IOException caused = new IOException(null, new TimeoutException("no answer within 2 s"));
        assertThat(Failures.describe(caused)).isEqualTo("IOException: no answer within 2 s");
    }

    @Test
    void whatFuturesPutAroundAFailureIsTakenOff() {
        Exception inner = new IOException("connection reset");
        Exception wrapped = new ExecutionException(new CompletionException(inner));
        assertThat(Failures.unwrap(wrapped)).isSameAs(inner);
        assertThat(Failures.describe(wrapped)).isEqualTo("connection reset");
    }

    @Test
    void aLoopOfCausesAndAMessageThatThrowsDoNoHarm() {
        Exception one = new IOException((String) null);
        one.initCause(new IOException(null, one));
        assertThat(Failures.describe(one)).startsWith("IOException: IOException");
        assertThat(Failures.describe(new IllegalStateException() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException();
                    }
                }))
                .startsWith("FailuresTest");
    }

    @Test
    void passwordsAreMasked() {
        assertThat(Failures.describe(new IOException("redis://secret@host is down")))
                .isEqualTo("redis://***@host is down");
    }
}

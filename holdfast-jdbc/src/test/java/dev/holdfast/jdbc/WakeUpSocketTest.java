package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.holdfast.jdbc.wakeup.WakeUpSocket;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WakeUpSocketTest {
    private static final int PATIENCE_MILLIS = 30_000;

    private final WakeUpSocket waiter = new WakeUpSocket();
    private final WakeUpSocket releaser = new WakeUpSocket();

    @AfterEach
    void close() {
        waiter.close();
        releaser.close();
    }

    @Test
    void aNameReachesTheOneAtThatAddress() throws Exception {
        assertThat(waiter.listen(-1)).isTrue();
        releaser.tell(waiter.address(), "Übergabe ");
        assertThat(waiter.receive(PATIENCE_MILLIS)).isEqualTo("Übergabe ");
    }

    @Test
    void theAddressStaysTheSame() {
        // It stands in the queue: another key would make what others send worthless.
        waiter.listen(1);
        String address = waiter.address();
        waiter.listen(2);
        assertThat(waiter.address()).isEqualTo(address);
    }

    @Test
    void whoeverDoesNotKnowTheKeyIsNotHeard() throws Exception {
        waiter.listen(1);
        String port = waiter.address().split(" ", -1)[0];
        releaser.tell(port + " 0000000000000002", "forged");
        releaser.tell(waiter.address(), "report");
        assertThat(waiter.receive(PATIENCE_MILLIS)).isNull();
        assertThat(waiter.receive(PATIENCE_MILLIS)).isEqualTo("report");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "holdfast abc",
                "1",
                "x 0000000000000001",
                "99999999 0000000000000001",
                "-1 0000000000000001",
                "0 0000000000000001",
                "1 2 3",
                "1 0000000000000001"
            })
    void whatIsNoAddressIsIgnored(String address) {
        // Whoever can write to the queue can write anything there.
        assertThatCode(() -> releaser.tell(address, "report")).doesNotThrowAnyException();
    }

    @Test
    void closingEndsTheWait() {
        // Before it began, or in the middle of it: the JDK has an exception for each.
        waiter.listen(1);
        CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() -> {
            try {
                return new AssertionError("received " + waiter.receive(PATIENCE_MILLIS));
            } catch (IOException e) {
                return e;
            }
        });
        waiter.close();
        assertThat(ended.orTimeout(60, TimeUnit.SECONDS).join())
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(SocketTimeoutException.class);
    }
}

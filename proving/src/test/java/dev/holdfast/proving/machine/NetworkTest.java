package dev.holdfast.proving.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that sends back what it gets, and the way there. */
class NetworkTest {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int A_MOMENT_MILLIS = 200;

    private ServerSocket server;
    private Network network;
    private Link link;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::accept, "echo");
        thread.setDaemon(true);
        thread.start();
        network = new Network();
        link = network.link(server.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> echo(socket), "echo");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException done) {
            // The test is over.
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException gone) {
            // The other side hung up.
        }
    }

    @AfterEach
    void stop() throws IOException {
        network.close();
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    @Test
    void whatIsSentArrivesAndSoDoesTheEnd() throws IOException {
        try (Socket socket = connect()) {
            byte[] much = new byte[3_000_000];
            much[much.length - 1] = 7;
            Thread writer = new Thread(() -> {
                try {
                    socket.getOutputStream().write(much);
                    socket.shutdownOutput();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            writer.start();

            assertThat(socket.getInputStream().readAllBytes()).isEqualTo(much);
        }
    }

    @Test
    void behindACutNothingArrivesUntilItIsMended() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            link.cut();
            socket.getOutputStream().write(2);
            socket.setSoTimeout(A_MOMENT_MILLIS);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            link.mend();
            socket.setSoTimeout(PATIENCE_MILLIS);
            assertThat(socket.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void answersThatAreHeldBackArriveLater() throws IOException {
        try (Socket socket = connect()) {
            link.holdReplies();
            socket.getOutputStream().write(3);
            socket.setSoTimeout(A_MOMENT_MILLIS);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            link.mend();
            socket.setSoTimeout(PATIENCE_MILLIS);
            assertThat(socket.getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void aDelayIsTheLeastThatItTakesEachWay() throws IOException {
        try (Socket socket = connect()) {
            link.delay(100);
            long sent = System.nanoTime();
            socket.getOutputStream().write(4);
            assertThat(socket.getInputStream().read()).isEqualTo(4);
            assertThat(System.nanoTime() - sent).isGreaterThanOrEqualTo(200_000_000);
        }
    }

    @Test
    void aResetBreaksWhatIsThereAndNothingElse() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(5);
            assertThat(socket.getInputStream().read()).isEqualTo(5);
            link.reset();
            assertThatThrownBy(() -> {
                        if (socket.getInputStream().read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        try (Socket again = connect()) {
            again.getOutputStream().write(6);
            assertThat(again.getInputStream().read()).isEqualTo(6);
        }
    }
}

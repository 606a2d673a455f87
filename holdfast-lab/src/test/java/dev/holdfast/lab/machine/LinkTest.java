package dev.holdfast.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link carries everything, and after a cut nothing, until it is mended. */
@Timeout(60)
class LinkTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final FreePorts ports = new FreePorts();
    private ServerSocket server;
    private Link link;

    @BeforeEach
    void open() throws IOException {
        server = new ServerSocket(0, 10, HERE);
        Thread echo = new Thread(this::echo);
        echo.setDaemon(true);
        echo.start();
        link = new Link(ports.next(), server.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        server.close();
        ports.close();
    }

    private void echo() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException ended) {
                // The link was cut, or the test is over.
            }
        }
    }

    private static int answer(Socket socket, int sent) throws IOException {
        socket.getOutputStream().write(sent);
        return socket.getInputStream().read();
    }

    @Test
    void cutAndMended() throws IOException {
        try (Socket before = new Socket(HERE, link.port())) {
            assertThat(answer(before, 7)).isEqualTo(7);
            link.cut();
            assertThat(readToTheEnd(before)).isTrue();
            assertThatThrownBy(() -> new Socket(HERE, link.port()).close()).isInstanceOf(ConnectException.class);
        }
        link.mend();
        try (Socket after = new Socket(HERE, link.port())) {
            assertThat(answer(after, 9)).isEqualTo(9);
        }
    }

    /** Closed or reset: either way nothing comes any more. */
    private static boolean readToTheEnd(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }
}

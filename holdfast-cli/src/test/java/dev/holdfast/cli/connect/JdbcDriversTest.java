package dev.holdfast.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class JdbcDriversTest {
    @Test
    void mysqlHasADriver() throws Exception {
        // Used to be "No suitable driver", though the documents promised one. Somebody listens and hangs up: a driver
        // got
        // that far.
        try (ServerSocket server = new ServerSocket(0)) {
            Thread hangsUp = new Thread(() -> {
                try {
                    server.accept().close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            hangsUp.start();
            String url = "jdbc:mysql://127.0.0.1:" + server.getLocalPort() + "/locks?user=a&password=b";
            assertThatThrownBy(() -> new ConnectionPool(url).getConnection())
                    .isInstanceOf(SQLException.class)
                    .hasMessageNotContaining("No suitable driver");
            hangsUp.join();
        }
    }

    @Test
    void otherUrlsStayAsTheyAre() {
        assertThat(JdbcDrivers.accepted("jdbc:mariadb://host/locks")).isEqualTo("jdbc:mariadb://host/locks");
        assertThat(JdbcDrivers.accepted("jdbc:nobody:x")).isEqualTo("jdbc:nobody:x");
    }
}

package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.http.Orders;
import dev.holdfast.http.TokenHeader;
import dev.holdfast.http.WebServer;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Each guard keeps the newest token, and says so when it cannot. */
class GuardsIT {
    private static void announce(TokenGuard guard, String token) throws Exception {
        guard.announce("/orders/7", TokenHeader.parse(token));
    }

    private static void assertKeepsTheNewest(TokenGuard guard) throws Exception {
        announce(guard, "34");
        announce(guard, "34");
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> announce(guard, "33"));
        assertThatExceptionOfType(WrongGenerationException.class).isThrownBy(() -> announce(guard, "1:35"));
        announce(guard, "35");
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> announce(guard, "34"));
        guard.announce("/orders/8", TokenHeader.parse("33"));
    }

    /** A request with a token at a server with this guard. */
    private static int put(TokenGuard guard) throws Exception {
        AtomicInteger handled = new AtomicInteger();
        try (WebServer server = new WebServer(context -> {
            context.addServlet("handler", new HttpServlet() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected void service(HttpServletRequest request, HttpServletResponse response) {
                            handled.incrementAndGet();
                        }
                    })
                    .addMapping("/*");
            TokenFilter.announcingAt(guard).build().addTo(context, "/*");
        })) {
            int status = server.put("/orders/7", "", 36).statusCode();
            assertThat(handled).hasValue(status == 200 ? 1 : 0);
            return status;
        }
    }

    @Test
    void memory() throws Exception {
        assertKeepsTheNewest(new InMemoryTokenGuard());
    }

    @Test
    void aDatabase() throws Exception {
        DataSource database = Orders.newDatabase("");
        SqlTokenGuard guard = SqlTokenGuard.over(database);
        assertKeepsTheNewest(guard);
        assertThat(put(guard)).isEqualTo(200);
        try (Connection connection = database.getConnection()) {
            assertThat(SqlFence.of("/orders/7")
                            .inspect(connection)
                            .orElseThrow()
                            .newest())
                    .hasValueSatisfying(token -> assertThat(token.value()).isEqualTo(36));
        }
    }

    @Test
    void aDatabaseWithoutTheTableOrThatIsAwayLetsNobodyThrough() throws Exception {
        JdbcDataSource empty = new JdbcDataSource();
        empty.setURL("jdbc:h2:mem:empty;DB_CLOSE_DELAY=-1");
        assertThat(put(SqlTokenGuard.over(empty))).isEqualTo(503);
        JdbcDataSource away = new JdbcDataSource();
        away.setURL("jdbc:h2:mem:away;IFEXISTS=TRUE");
        assertThat(put(SqlTokenGuard.over(away))).isEqualTo(503);
    }

    @Test
    void redisAndWithoutItNobodyPasses() throws Exception {
        RedisClient client;
        RedisTokenGuard guard;
        try (RedisServer redis = RedisServer.embedded().start()) {
            client = RedisClient.create(redis.url());
            StatefulRedisConnection<String, String> connection = client.connect();
            connection.setTimeout(Duration.ofSeconds(10));
            guard = RedisTokenGuard.over(RedisFence.over(connection.sync()));
            assertKeepsTheNewest(guard);
            assertThat(put(guard)).isEqualTo(200);
            connection.setTimeout(Duration.ofMillis(200));
        }
        assertThat(put(guard)).isEqualTo(503);
        client.shutdown();
    }
}

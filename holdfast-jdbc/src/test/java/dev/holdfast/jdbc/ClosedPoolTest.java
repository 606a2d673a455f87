package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.jdbc.connection.DataSourceConnections;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who closes Holdfast closes the pool next. H2 ignores {@code abort}, so a connection that is out then stays open for ever. */
@Timeout(120)
class ClosedPoolTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    private final AtomicInteger out = new AtomicInteger();
    private final CountDownLatch slow = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void closingWaitsForWhatIsBorrowed() throws Exception {
        JdbcBackend backend = JdbcBackend.over(new Databases.Source(this::borrow))
                .createTables()
                .connect();
        Holdfast holdfast = Holdfast.over(backend);
        slow.countDown();
        CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> ask(holdfast));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> out.get() == 1);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(holdfast::close);
        // It used to return at once, and the pool was closed under a connection that was out.
        assertThatThrownBy(() -> closed.get(500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        mayReturn.countDown();
        closed.get(30, TimeUnit.SECONDS);
        assertThat(out).hasValue(0);
        assertThat(asked).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void butNotForEver() throws Exception {
        DataSourceConnections connections = new DataSourceConnections(new Databases.Source(this::borrow));
        connections.take();
        assertThat(CompletableFuture.runAsync(connections::close)).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void norForWhoGotNone() throws Exception {
        // It would wait for five seconds each time. One try that the machine did not delay is enough.
        List<Duration> took = new ArrayList<>();
        do {
            DataSourceConnections connections = new DataSourceConnections(new Databases.Source(() -> {
                throw new SQLException("none left");
            }));
            assertThatThrownBy(connections::take).isInstanceOf(SQLException.class);
            long began = System.nanoTime();
            connections.close();
            took.add(Duration.ofNanos(System.nanoTime() - began));
        } while (Collections.min(took).compareTo(AT_ONCE) >= 0 && took.size() < 5);
        assertThat(took).anyMatch(each -> each.compareTo(AT_ONCE) < 0);
    }

    private static void ask(Holdfast holdfast) {
        try {
            assertThat(holdfast.health(Duration.ofSeconds(30))).isNotNull();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Going back takes a while, once it is to be slow. */
    private Connection borrow() {
        out.incrementAndGet();
        Connection kept = Databases.unclosed(connection);
        return (Connection) Proxy.newProxyInstance(
                ClosedPoolTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (slow.getCount() == 0) {
                            mayReturn.await();
                        }
                        out.decrementAndGet();
                        return null;
                    }
                    return Proxy.getInvocationHandler(kept).invoke(kept, method, arguments);
                });
    }
}

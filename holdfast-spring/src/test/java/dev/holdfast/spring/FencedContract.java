package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StaleTokenException;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.memory.InMemoryBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@code fenced = true} promises, on a real database, with whatever the application uses to reach it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FencedContract {
    private Application application;
    private FencedStock stock;
    private Runnable beforeBegin = () -> {};

    /** Brings a {@link FencedStock}, a {@link RecordingDataSource} and a transaction manager. */
    abstract Class<?> configuration();

    @BeforeAll
    void start() throws SQLException {
        application = Application.of(configuration());
        stock = application.bean(FencedStock.class);
        SqlFence.createTable(dataSource());
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, amount INT)");
            statement.execute("INSERT INTO stock VALUES (1, 0)");
        }
        ((ConfigurableTransactionManager) application.bean(PlatformTransactionManager.class))
                .addListener(new TransactionExecutionListener() {
                    @Override
                    public void beforeBegin(TransactionExecution transaction) {
                        beforeBegin.run();
                    }
                });
    }

    @BeforeEach
    void empty() throws SQLException {
        raw(connection -> execute(connection, "UPDATE stock SET amount = 0"));
        recording().statements.clear();
    }

    @AfterEach
    void everythingIsGivenBack() {
        beforeBegin = () -> {};
        FencedStock.pauseNow = () -> {};
        assertThat(application.isHeld("stock")).isFalse();
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @Test
    void theAnnouncementIsTheFirstStatementOfTheTransaction() throws SQLException {
        stock.add(1);
        assertThat(recording().statements)
                .hasSizeGreaterThan(2)
                .first()
                .asString()
                .contains("holdfast_guard");
        assertThat(amount()).isEqualTo(1);
    }

    @Test
    void aHolderThatWasPausedBeforeItsTransactionIsRefused() throws SQLException {
        // Pause the holder between lock and begin, past its lease. A rival comes and goes. The holder wakes.
        beforeBegin = () -> {
            beforeBegin = () -> {};
            expire();
            rivalAdds(10);
        };
        assertThatThrownBy(() -> stock.add(1)).isInstanceOf(StaleTokenException.class);
        assertThat(amount()).isEqualTo(10);
        stock.add(1);
        assertThat(amount()).as("a new lease is let in again").isEqualTo(11);
    }

    @Test
    void aHolderThatIsPausedInItsTransactionKeepsNewerOnesWaiting() throws Exception {
        // Pause the holder between its read and its write, past its lease. A rival acquires, and must not read before
        // the holder
        // is done: otherwise one of the two updates is lost.
        CompletableFuture<Void> rival = new CompletableFuture<>();
        FencedStock.pauseNow = () -> {
            expire();
            rival.completeAsync(() -> {
                rivalAdds(10);
                return null;
            });
            assertThat(comesThrough(rival))
                    .as("the rival reads before the holder has committed")
                    .isFalse();
        };
        stock.add(1);
        rival.get(60, TimeUnit.SECONDS);
        assertThat(amount()).isEqualTo(11);
    }

    @Test
    void noUpdateIsLostAmongHoldersWhoseLeasesEndUnnoticed() throws Exception {
        // Two sides want the lock. Now and then it expires at the store while a holder is between its read and its
        // write, and
        // the holder goes on, because it does not know.
        AtomicInteger turns = new AtomicInteger();
        FencedStock.pauseNow = () -> {
            if (turns.incrementAndGet() % 3 == 0) {
                expire();
            }
        };
        AtomicInteger added = new AtomicInteger();
        CompletableFuture<?>[] sides = new CompletableFuture<?>[6];
        for (int i = 0; i < sides.length; i++) {
            Runnable turn = i % 3 == 0 ? () -> rivalAdds(1) : () -> stock.add(1);
            sides[i] = CompletableFuture.runAsync(() -> repeat(turn, added), command -> new Thread(command).start());
        }
        CompletableFuture.allOf(sides).get(180, TimeUnit.SECONDS);
        assertThat(added).as("some came through").hasPositiveValue();
        assertThat(amount()).isEqualTo(added.get());
    }

    /** Counts what was not refused. */
    private static void repeat(Runnable turn, AtomicInteger added) {
        for (int i = 0; i < 20; i++) {
            try {
                turn.run();
                added.incrementAndGet();
            } catch (StaleTokenException | LeaseLostException refused) {
                // Nothing was written: that is what is being counted.
            }
        }
    }

    private static boolean comesThrough(CompletableFuture<Void> rival) {
        try {
            rival.get(300, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void withinATransactionItIsRefusedBeforeAnythingIsLocked() {
        TransactionTemplate transactions = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        transactions.executeWithoutResult(transaction -> {
            assertThatThrownBy(() -> stock.add(1))
                    .isInstanceOf(IllegalTransactionStateException.class)
                    .hasMessageContaining("first statement");
            assertThat(application.isHeld("stock")).isFalse();
        });
    }

    @Test
    void itBeginsATransactionWhereThereIsNoAnnotationForOne() throws SQLException {
        assertThatThrownBy(stock::addWithoutAnnotationAndFail).isInstanceOf(IllegalArgumentException.class);
        assertThat(amount()).isZero();
    }

    @Test
    void itRollsBackByTheRulesOfTheAnnotation() throws SQLException {
        assertThatThrownBy(stock::addAndFailChecked).isInstanceOf(IOException.class);
        assertThat(amount()).isEqualTo(1);
        assertThatThrownBy(stock::addAndFailCheckedWithRule).isInstanceOf(IOException.class);
        assertThat(amount()).isEqualTo(1);
    }

    @Test
    void aLeaseThatIsLostInTheBodyRollsBack() throws SQLException {
        FencedStock.pauseNow =
                () -> application.lose(LockedContext.current().orElseThrow().lease());
        assertThatThrownBy(() -> stock.add(1)).isInstanceOf(LeaseLostException.class);
        assertThat(amount()).isZero();
    }

    @Test
    void severalLocksAreAllAnnounced() throws SQLException {
        stock.move("a", "b");
        assertThat(isGuarded("place:a")).isTrue();
        assertThat(isGuarded("place:b")).isTrue();
        assertThat(isGuarded("place:c")).isFalse();
    }

    private boolean isGuarded(String resource) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement query =
                        connection.prepareStatement("SELECT token FROM holdfast_guard WHERE resource = ?")) {
            query.setBytes(1, resource.getBytes(StandardCharsets.UTF_8));
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    @Test
    void theTemplateDoesTheSame() throws Exception {
        LockTemplate template = application.bean(LockTemplate.class).fenced();
        template.run("stock", lease -> stock.write(stock.read() + 5));
        assertThat(amount()).isEqualTo(5);
        beforeBegin = () -> {
            beforeBegin = () -> {};
            expire();
            rivalAdds(10);
        };
        assertThatThrownBy(() -> template.run("stock", lease -> stock.write(0)))
                .isInstanceOf(StaleTokenException.class);
        assertThat(amount()).isEqualTo(15);
    }

    /** The lock ends at the store, and its holder does not know: like a holder that was paused. */
    private void expire() {
        application.bean(InMemoryBackend.class).controls().expireNow("stock");
    }

    /** What another process does, in plain JDBC. */
    private void rivalAdds(int amount) {
        try (Lease lease = application.awaited("stock")) {
            raw(connection -> {
                connection.setAutoCommit(false);
                SqlFence.of("stock").announce(connection, lease.token());
                int read = count(connection, "SELECT amount FROM stock");
                execute(connection, "UPDATE stock SET amount = " + (read + amount));
                connection.commit();
            });
        } catch (SQLException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private RecordingDataSource recording() {
        return application.bean(RecordingDataSource.class);
    }

    private DataSource dataSource() {
        return recording().getTargetDataSource();
    }

    private int amount() throws SQLException {
        return count("SELECT amount FROM stock");
    }

    private int count(String query) throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            return count(connection, query);
        }
    }

    private static int count(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private interface Work {
        void with(Connection connection) throws SQLException;
    }

    private void raw(Work work) throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            work.with(connection);
        }
    }
}

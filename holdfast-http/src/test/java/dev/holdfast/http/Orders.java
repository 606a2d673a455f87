package dev.holdfast.http;

import dev.holdfast.http.server.PresentedToken;
import dev.holdfast.jdbc.SqlFence;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Keeps one text in a database. Each request is one transaction, which checks the token if it is told to. */
@SuppressWarnings("serial")
public final class Orders extends HttpServlet {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final DataSource dataSource;
    private final boolean checks;
    private final Consumer<PresentedToken> beforeWrite;

    /** @param beforeWrite runs after the filter, before the transaction of a PUT */
    public Orders(DataSource dataSource, boolean checks, Consumer<PresentedToken> beforeWrite) {
        this.dataSource = dataSource;
        this.checks = checks;
        this.beforeWrite = beforeWrite;
    }

    /** A database of its own, with one order and the table of guards. */
    public static DataSource newDatabase(String content) throws SQLException {
        JdbcDataSource dataSource = new JdbcDataSource();
        // Whoever waits for the row of the guard waits behind at most all other requests of a test.
        dataSource.setURL("jdbc:h2:mem:orders" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
        SqlFence.createTable(dataSource);
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("CREATE TABLE orders (id INT PRIMARY KEY, content VARCHAR(100))");
            connection.createStatement().execute("INSERT INTO orders VALUES (7, '')");
            write(connection, content);
        }
        return dataSource;
    }

    public static String content(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return read(connection);
        }
    }

    public static String read(Connection connection) throws SQLException {
        try (ResultSet rows = connection.createStatement().executeQuery("SELECT content FROM orders WHERE id = 7")) {
            rows.next();
            return rows.getString(1);
        }
    }

    public static void write(Connection connection, String content) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET content = ? WHERE id = 7")) {
            update.setString(1, content);
            update.executeUpdate();
        }
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Optional<PresentedToken> presented = PresentedToken.find(request);
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean put = request.getMethod().equals("PUT");
        if (put) {
            beforeWrite.accept(presented.orElseThrow());
        }
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            if (checks && presented.isPresent()) {
                presented.get().checkIn(connection, "order-7");
            }
            if (put) {
                write(connection, body);
            }
            response.getWriter().write(read(connection));
            connection.commit();
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}

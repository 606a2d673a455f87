package dev.holdfast.jdbc;

import java.sql.SQLException;
import org.h2.tools.Server;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real H2 server for a test class, with its database in memory. */
final class H2Server implements BeforeAllCallback, AfterAllCallback {
    private Server server;

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        JdbcBackend.createTables(Databases.unpooled(url()));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.stop();
    }

    String url() {
        return "jdbc:h2:" + server.getURL() + "/mem:locks;DB_CLOSE_DELAY=-1";
    }
}

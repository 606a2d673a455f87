package dev.holdfast.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Fences in PostgreSql. */
class PostgreSqlFenceIT extends SqlFenceContract {
    private static final PostgreSqlServer SERVER = new PostgreSqlServer();

    // By hand: an extension would be started once more for each nested class.
    @BeforeAll
    static void start() throws Exception {
        SERVER.beforeAll(null);
    }

    @AfterAll
    static void stop() throws Exception {
        SERVER.afterAll(null);
    }

    @Override
    String url() {
        return SERVER.url();
    }
}

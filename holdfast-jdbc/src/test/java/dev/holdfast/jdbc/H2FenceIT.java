package dev.holdfast.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Fences in H2. */
class H2FenceIT extends SqlFenceContract {
    private static final H2Server SERVER = new H2Server();

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

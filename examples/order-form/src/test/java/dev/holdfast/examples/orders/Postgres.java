package dev.holdfast.examples.orders;

import dev.holdfast.tck.ServerPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;

/** A real PostgreSQL for a test class. */
final class Postgres {
    private Postgres() {}

    static EmbeddedPostgres start() throws IOException {
        // Not a port that the system lends to whoever connects: seconds pass before the server listens there.
        return EmbeddedPostgres.builder()
                .setPort(ServerPorts.next())
                .setPGStartupWait(Duration.ofMinutes(3))
                .start();
    }
}

package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import java.util.Locale;

/**
 * A vote on its way, as a server has told, or a write, as a client has told: something for the page to draw once.
 *
 * @param number grows with each
 * @param server -1 for the account
 */
public record Flight(long number, int server, int client, Lane lane, Kind kind) {
    static final int ACCOUNT = -1;

    /** What the server did with its vote, or the account with the write. */
    public enum Kind {
        GIVEN,
        RENEWED,
        TAKEN_BACK,
        EXPIRED,
        WROTE,
        REFUSED;

        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}

package dev.holdfast.jdbc.sql;

import java.sql.SQLException;

/** Rolled back, and to be tried again: somebody was quicker. */
public final class Collision extends SQLException {
    private static final long serialVersionUID = 1L;

    public Collision(String reason) {
        super(reason, "40001");
    }
}

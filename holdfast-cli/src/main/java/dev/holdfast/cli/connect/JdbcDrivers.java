package dev.holdfast.cli.connect;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;

/** Which driver takes a URL. */
final class JdbcDrivers {
    private JdbcDrivers() {}

    /**
     * The URL as a driver that is here takes it. MySQL's own driver may not be shipped (its licence); MariaDB's speaks to
     * MySQL too, but takes its URLs only if told to. Where the other one is in lib/, it is used.
     */
    static String accepted(String url) {
        if (!url.toLowerCase(Locale.ROOT).startsWith("jdbc:mysql:")) {
            return url;
        }
        try {
            DriverManager.getDriver(url);
            return url;
        } catch (SQLException e) {
            return url + (url.contains("?") ? "&" : "?") + "permitMysqlScheme";
        }
    }
}

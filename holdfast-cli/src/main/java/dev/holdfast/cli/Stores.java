package dev.holdfast.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which URL leads where. Each scheme has a class of its own, loaded only when it is asked for: a lock in a file must not
 * wait for the Redis client to load.
 */
final class Stores {
    /** What --at understands, for people. */
    static final String KNOWN = "sqlite:PATH, redis://HOST:PORT, rediss://HOST:PORT, redlock://HOST:PORT,HOST:PORT,…,"
            + " zookeeper://HOST:PORT,HOST:PORT,…/PATH, jdbc:…";

    private static final Pattern PASSWORD_BEFORE_HOST = Pattern.compile("(//[^/@]*?):[^/@]*@");
    private static final Pattern PASSWORD_PARAMETER = Pattern.compile("(?i)(password|pwd)=[^&;]*");

    private Stores() {}

    /** The store at this URL, or else at HOLDFAST_URL, or else in a file of this user. */
    static Store at(@Nullable String url, Map<String, String> environment, Console console) {
        if (url != null) {
            // Also if it is empty: an unset variable in a script must not lead to locks that nobody else sees.
            return at(url);
        }
        String usual = environment.getOrDefault("HOLDFAST_URL", "");
        return usual.isEmpty() ? ofThisUser(environment, console) : at(usual);
    }

    static Store at(String url) {
        int colon = url.indexOf(':');
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        return switch (scheme) {
            case "sqlite" -> SqliteStore.of(url, url.substring(colon + 1));
            case "redis", "rediss" -> new RedisStore(url);
            case "redlock" -> new RedlockStore(url);
            case "zookeeper" -> new ZooKeeperStore(url);
            case "jdbc" -> new JdbcStore(url);
            default ->
                throw new CliException(
                        ExitCode.USAGE, "No store is known for '" + withoutPassword(url) + "'. Known: " + KNOWN + ".");
        };
    }

    private static Store ofThisUser(Map<String, String> environment, Console console) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        // The specification of these directories: a relative path is to be ignored.
        Path base = Path.of(state).isAbsolute()
                ? Path.of(state)
                : Path.of(System.getProperty("user.home"), ".local", "state");
        Path file = base.resolve("holdfast").resolve("locks.db");
        if (!Files.exists(file)) {
            SqliteStore.createDirectory(file);
            console.note("The locks are in " + file + ": exclusive among the processes of this machine, and no others."
                    + " For several machines give --at URL or set HOLDFAST_URL.");
        }
        return new SqliteStore("sqlite:" + file, file);
    }

    static String withoutPassword(String url) {
        String masked = PASSWORD_BEFORE_HOST.matcher(url).replaceAll("$1:***@");
        return PASSWORD_PARAMETER.matcher(masked).replaceAll("$1=***");
    }
}

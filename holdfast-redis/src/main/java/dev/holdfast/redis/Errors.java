package dev.holdfast.redis;

import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns what went wrong at one server into what core needs to know: proof that nothing happened and trying again may help
 * ({@link NotSentException}), proof that it will not help ({@link RefusedException}), or no proof (anything else). Every
 * message names the server and the remedy.
 */
final class Errors {
    /** What our scripts and connections need, and nothing else. */
    private static final String COMMANDS =
            "+eval +evalsha +time +mget +exists +set +del +pttl +pexpire +lpop +rpush +llen +lpos"
                    + " +lrange +lrem +publish +subscribe +unsubscribe +scan +info +ping";

    /** Those of one name; a batch has many more. */
    private static final int MOST_KEYS_NAMED = 3;

    private static final Pattern LINE = Pattern.compile("@?user_script:(\\d+)");
    private static final Pattern QUOTED_COMMAND = Pattern.compile("'([a-z|]+)' command");
    private static final Pattern CALL = Pattern.compile("redis\\.call\\('([A-Z]+)'");

    private final String address;
    private final String prefix;

    Errors(String address, String prefix) {
        this.address = address;
        this.prefix = prefix;
    }

    /** The line that gives a user everything that locking needs, and nothing more. */
    String aclLine(String user) {
        return "ACL SETUSER " + user + " resetkeys ~" + prefix + "* resetchannels &" + prefix + "* -@all " + COMMANDS;
    }

    NotSentException notConnected(@Nullable Throwable why) {
        String reason = why == null ? "the connection is being restored" : String.valueOf(why.getMessage());
        return new NotSentException("There is no connection to Redis at " + address + ": " + reason, why);
    }

    /** No proof: the server may have carried the request out, or may still do so. */
    Exception noAnswer(Duration timeout) {
        return new TimeoutException("Redis at " + address + " has not answered within " + timeout.toMillis() + " ms");
    }

    /** No proof: the connection broke with the request under way. */
    Exception broken(Throwable cause) {
        return new IOException("The connection to Redis at " + address + " broke: " + cause.getMessage(), cause);
    }

    RefusedException tooOld(String version) {
        return new RefusedException("Redis at " + address + " is version " + version
                + "; Holdfast needs 6.2 or later (LPOS, SET with GET). Upgrade the server.");
    }

    /** What the server said to a request that came from us. */
    RuntimeException said(String error, @Nullable Script script, String... keys) {
        String where = "Redis at " + address;
        if (error.contains("The user executing the script can't") || error.startsWith("NOPERM")) {
            return new RefusedException(
                    where + " does not permit " + forbidden(error, script) + ". Give the user what Holdfast needs: "
                            + aclLine("<user>") + " (the server said: " + error + ")");
        }
        if (error.contains("HOLDFAST-FOREIGN") || error.startsWith("WRONGTYPE")) {
            return new RefusedException(where + " has something under our keys that Holdfast did not write: look at "
                    + named(keys) + ", and delete what is foreign or choose another namespace"
                    + " (the server said: " + error + ")");
        }
        if (error.contains("HOLDFAST-SIZE")) {
            return new RefusedException(where + " belongs to a quorum of another number of servers ("
                    + error.replaceAll("(?s).*HOLDFAST-SIZE (\\d*).*", "$1")
                    + "): majorities of different lists need not meet. Give every client the same list");
        }
        if (error.contains("HOLDFAST-EXHAUSTED")) {
            return new RefusedException(
                    where + " has a token counter, or a clock, beyond 2^53: set the clock, and delete "
                            + error.replaceAll("(?s).*HOLDFAST-EXHAUSTED (\\S*).*", "$1")
                            + " once no lock of its bucket is held and no resource has seen its tokens");
        }
        if (error.contains("Script killed by user")) {
            return notDone(where + " killed our script before it had written anything", error);
        }
        return byCode(where, error);
    }

    private static RuntimeException byCode(String where, String error) {
        int end = error.indexOf(' ');
        String code = end < 0 ? error : error.substring(0, end);
        return switch (code) {
            case "NOAUTH", "WRONGPASS" ->
                new RefusedException(where + " does not accept the user or the password: check them in the URL"
                        + " (the server said: " + error + ")");
            case "READONLY" ->
                new RefusedException(where + " is a read-only replica: locks need the primary, connect to that one");
            case "OOM" ->
                notDone(where + " is out of memory: raise maxmemory or remove data, no lock can be stored", error);
            case "MISCONF" -> notDone(where + " refuses writes because it cannot save to disk: repair the disk", error);
            case "NOREPLICAS" ->
                notDone(where + " refuses writes because too few replicas are in reach (min-replicas-to-write)", error);
            case "LOADING" -> notDone(where + " is loading its data", error);
            case "BUSY" -> notDone(where + " is busy with somebody's script that runs for long", error);
            case "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN" -> notDone(where + " is not ready", error);
            default -> byText(where, error);
        };
    }

    private static RuntimeException byText(String where, String error) {
        String text = error.toLowerCase(Locale.ROOT);
        if (text.contains("invalid password") || text.contains("without any password configured")) {
            return new RefusedException(where + " does not accept the user or the password: check them in the URL"
                    + " (the server said: " + error + ")");
        }
        if (text.contains("unknown command")) {
            return new RefusedException(where + " does not know a command that Holdfast needs: it is too old, or the"
                    + " command was renamed (the server said: " + error + ")");
        }
        if (text.contains("max number of clients")) {
            return notDone(where + " takes no more connections: raise maxclients", error);
        }
        return new IllegalStateException(where + " failed: " + error);
    }

    private static String named(String... keys) {
        String first = String.join(", ", List.of(keys).subList(0, Math.min(MOST_KEYS_NAMED, keys.length)));
        return keys.length <= MOST_KEYS_NAMED ? first : first + " and the other " + (keys.length - MOST_KEYS_NAMED);
    }

    private static NotSentException notDone(String what, String error) {
        return new NotSentException(what + " (the server said: " + error + ")", null);
    }

    /** Inside a script the server names the line, not the command. */
    private static String forbidden(String error, @Nullable Script script) {
        Matcher quoted = QUOTED_COMMAND.matcher(error);
        if (quoted.find()) {
            return "the command " + quoted.group(1).toUpperCase(Locale.ROOT);
        }
        String what = error.contains("key") ? "our keys to " : error.contains("channel") ? "our channels to " : "";
        Matcher line = LINE.matcher(error);
        if (script != null && line.find()) {
            Matcher call = CALL.matcher(script.line(Integer.parseInt(line.group(1))));
            if (call.find()) {
                return what + "the command " + call.group(1);
            }
        }
        return what.isEmpty() ? "a command" : what.replace(" to ", "");
    }
}

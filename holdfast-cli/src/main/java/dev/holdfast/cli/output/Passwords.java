package dev.holdfast.cli.output;

import dev.holdfast.spi.Secrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The passwords that this process was given, in its URLs. {@link Secrets} finds passwords by where they stand; a driver or
 * a server can repeat one anywhere, without the URL around it, so what was given is also looked for as it is.
 */
public final class Passwords {
    /** Shorter ones occur everywhere: hiding them would tell where they fit. */
    private static final int SHORTEST = 3;
    /** Below this, only as a word of its own: "test" must not turn "latest" into "la***". */
    private static final int SHORTEST_INSIDE_WORDS = 6;

    private static final List<String> SCHEMES = List.of(
            "redis:",
            "rediss:",
            "redis+sentinel:",
            "rediss+sentinel:",
            "redis+cluster:",
            "rediss+cluster:",
            "redlock:",
            "redlocks:",
            "zookeeper:",
            "zookeeper+tls:",
            "etcd:",
            "etcd+tls:",
            "jdbc:");
    private static final Pattern PARAMETER = Pattern.compile(
            "(?i)(?:password|passwd|passphrase|pwd|secret|credential)[\\w.-]*=(\\{[^}]*\\}|.*?(?=[&;,][A-Za-z][\\w.-]*=|$))");

    private static final CopyOnWriteArrayList<String> KNOWN = new CopyOnWriteArrayList<>();

    private Passwords() {}

    /**
     * Arguments are repeated in messages about the command line before any of them is taken for a URL. Only what begins
     * like one counts: {@code job:a@b} may be the name of a lock.
     */
    public static void rememberThoseOf(List<String> arguments) {
        for (String argument : arguments) {
            String url = argument.startsWith("--") ? argument.substring(argument.indexOf('=') + 1) : argument;
            String start = url.toLowerCase(Locale.ROOT);
            if (url.contains("://") || SCHEMES.stream().anyMatch(start::startsWith)) {
                remember(url);
            }
        }
    }

    public static void remember(String url) {
        if (url.startsWith("sqlite:") || url.startsWith("jdbc:sqlite:")) {
            // A path: an @ in it ends no password.
            return;
        }
        int at = url.lastIndexOf('@');
        int slashes = url.indexOf("//");
        int begin = slashes >= 0 && slashes < at ? slashes + 2 : url.indexOf(':') + 1;
        if (at > begin) {
            rememberLogin(url.substring(begin, at));
        }
        Matcher parameter = PARAMETER.matcher(url);
        while (parameter.find()) {
            rememberValue(parameter.group(1));
        }
        KNOWN.sort(Comparator.comparingInt(String::length).reversed());
    }

    /** Without a colon all of it is the password. The list of a quorum may have a login for each server. */
    private static void rememberLogin(String login) {
        rememberValue(login.substring(login.indexOf(':') + 1));
        for (String each : login.split(",", -1)) {
            String own = each.substring(each.lastIndexOf('@', each.length() - 1) + 1);
            rememberValue(own.substring(own.indexOf(':') + 1));
        }
    }

    /** Also its parts: whoever takes a / or an @ in a password for the end of it shows the rest as something else. */
    private static void rememberValue(String value) {
        add(value);
        for (String part : value.split("[@/;,?#&:={}]", -1)) {
            add(part);
        }
    }

    private static void add(String value) {
        if (value.length() < SHORTEST) {
            return;
        }
        KNOWN.addIfAbsent(value);
        try {
            String decoded = URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
            if (decoded.length() >= SHORTEST) {
                KNOWN.addIfAbsent(decoded);
            }
        } catch (IllegalArgumentException notEncoded) {
            // Then nobody decodes it either.
            return;
        }
    }

    /** The text without what was given, and without whatever looks like a password. */
    public static String mask(String text) {
        return Secrets.mask(maskGiven(text));
    }

    /** The text without what was given. */
    static String maskGiven(String text) {
        String masked = text;
        for (String password : KNOWN) {
            if (masked.contains(password)) {
                String found = Pattern.quote(password);
                masked = masked.replaceAll(
                        password.length() >= SHORTEST_INSIDE_WORDS
                                ? found
                                : "(?<![\\p{L}\\p{N}])" + found + "(?![\\p{L}\\p{N}])",
                        "***");
            }
        }
        return masked;
    }

    public static void forgetAll() {
        KNOWN.clear();
    }
}

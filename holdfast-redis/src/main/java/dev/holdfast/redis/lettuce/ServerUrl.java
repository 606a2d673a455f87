package dev.holdfast.redis.lettuce;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The URL of one server. Lettuce ignores what it does not know, takes part of a password for a host where one has a
 * slash, and repeats the URL where it cannot be read: so this looks first. No message shows any of it but names of parameters.
 */
public final class ServerUrl {
    private static final List<String> PARAMETERS = List.of(
            "clientName",
            "database",
            "db",
            "libraryName",
            "libraryVersion",
            "sentinelMasterId",
            "timeout",
            "verifyPeer");

    private ServerUrl() {}

    public static RedisURI parse(String url) {
        int scheme = url.indexOf("://");
        String rest = scheme < 0 ? "" : url.substring(scheme + "://".length());
        int at = rest.lastIndexOf('@');
        int end = indexOfAny(rest, "/?#");
        if (at >= 0 && end >= 0 && end < at && !url.startsWith("redis-socket")) {
            throw new IllegalArgumentException(
                    "In the URL of a Redis server a '/', '?' or '#' stands before an '@'. If it is"
                            + " part of the password, write it as %2F, %3F or %23");
        }
        requireKnown(rest.indexOf('?') < 0 ? "" : rest.substring(rest.indexOf('?') + 1));
        // An '@' in a password: it is the last one that ends it.
        String login = at < 0 ? "" : rest.substring(0, at).replace("@", "%40") + "@";
        try {
            RedisURI uri =
                    RedisURI.create(scheme < 0 ? url : url.substring(0, scheme + 3) + login + rest.substring(at + 1));
            // Lettuce takes a port that is no number for a part of the name. The address of an IPv6 host has more
            // colons.
            if (uri.getHost() != null && uri.getHost().matches("[^:]*:[^:]*")) {
                throw new IllegalArgumentException("port");
            }
            return uri;
        } catch (IllegalArgumentException e) {
            // Without the cause: it repeats the URL, and that may hold a password.
            throw new IllegalArgumentException(
                    "This is not the URL of a Redis server; it should look like redis://host:6379"
                            + " or rediss://user:password@host:6379/0, with %-codes for special characters in the password");
        }
    }

    /** What is ignored looks as if it worked: a certificate, for example. */
    private static void requireKnown(String query) {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        known.addAll(PARAMETERS);
        for (String parameter : query.split("[&#]", -1)) {
            String name = parameter.split("=", 2)[0];
            if (!parameter.contains("=") || known.contains(name)) {
                continue;
            }
            String lower = name.toLowerCase(Locale.ROOT);
            boolean certificate = Arrays.asList("cert", "key", "trust", "ssl", "tls", "ca").stream()
                    .anyMatch(lower::contains);
            throw new IllegalArgumentException("The URL of a Redis server has the parameter '" + name
                    + "', which does not exist"
                    + (certificate
                            ? ". Certificates come from the system properties javax.net.ssl.keyStore and"
                                    + " javax.net.ssl.trustStore, or with a RedisClient of yours"
                            : "; there are " + String.join(", ", PARAMETERS)));
        }
    }

    private static int indexOfAny(String text, String characters) {
        for (int i = 0; i < text.length(); i++) {
            if (characters.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }
}

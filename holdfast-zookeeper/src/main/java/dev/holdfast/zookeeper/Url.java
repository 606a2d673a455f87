package dev.holdfast.zookeeper;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code zookeeper://user:password@host:port,host:port/path?tickTime=2s&syncLimit=5&sessionTimeout=30s}, or {@code
 * zookeeper+tls://} for an encrypted connection.
 *
 * <p>No message here repeats what stands in the URL, except settings by their known names: any other part may belong to a
 * password that was not encoded as it should be.
 */
final class Url {
    private static final String PLAIN = "zookeeper://";
    private static final String ENCRYPTED = "zookeeper+tls://";
    private static final String KNOWN =
            "tickTime, syncLimit, sessionTimeout, namespace; and with zookeeper+tls:// trustStore, trustStorePassword,"
                    + " keyStore, keyStorePassword";
    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s)");

    private final boolean encrypted;
    private final ZooKeeperBackend.Builder builder;
    private String trustStore = "";
    private String trustStorePassword = "";
    private String keyStore = "";
    private String keyStorePassword = "";

    private Url(boolean encrypted, ZooKeeperBackend.Builder builder) {
        this.encrypted = encrypted;
        this.builder = builder;
    }

    static boolean isOne(String text) {
        return begins(text, PLAIN) || begins(text, ENCRYPTED);
    }

    /** Upper and lower case are the same in a scheme. */
    private static boolean begins(String text, String scheme) {
        return text.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    static ZooKeeperBackend.Builder parse(String url) {
        boolean encrypted = begins(url, ENCRYPTED);
        String rest = url.substring((encrypted ? ENCRYPTED : PLAIN).length());
        int question = rest.indexOf('?');
        String parameters = question < 0 ? "" : rest.substring(question + 1);
        rest = question < 0 ? rest : rest.substring(0, question);
        if (parameters.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "An @ behind the ? of a zookeeper URL: in a password write ? as %3F, and @ in"
                            + " a setting as %40");
        }
        // The last one: a password may have @ and / in it, the path and the hosts may not.
        int at = rest.lastIndexOf('@');
        Url read = new Url(encrypted, new ZooKeeperBackend.Builder(null, Address.parse(rest.substring(at + 1))));
        if (at >= 0) {
            String[] user = rest.substring(0, at).split(":", 2);
            read.builder.digest(decode("the user", user[0]), user.length < 2 ? "" : decode("the password", user[1]));
        }
        for (String parameter : parameters.isEmpty() ? new String[0] : parameters.split("&")) {
            read.apply(parameter);
        }
        return read.finish();
    }

    private void apply(String parameter) {
        int equals = parameter.indexOf('=');
        String key = equals < 0 ? parameter : parameter.substring(0, equals);
        String value = equals < 0 ? "" : decode("a setting", parameter.substring(equals + 1));
        switch (key) {
            case "tickTime" -> builder.tickTime(duration(key, value));
            case "sessionTimeout" -> builder.sessionTimeout(duration(key, value));
            case "syncLimit" -> builder.syncLimit(number(key, value));
            case "namespace" -> builder.namespace(value);
            case "trustStore" -> trustStore = value;
            case "trustStorePassword" -> trustStorePassword = value;
            case "keyStore" -> keyStore = value;
            case "keyStorePassword" -> keyStorePassword = value;
            default ->
                throw new IllegalArgumentException("A setting in a zookeeper URL is not known; known are " + KNOWN
                        + ". (In a password write ? as %3F.)");
        }
    }

    private ZooKeeperBackend.Builder finish() {
        boolean stores = !(trustStore + trustStorePassword + keyStore + keyStorePassword).isEmpty();
        if (!encrypted && stores) {
            throw new IllegalArgumentException(
                    "trustStore and keyStore are for TLS: begin the URL with zookeeper+tls://");
        }
        if (encrypted) {
            builder.tls();
        }
        if (!trustStore.isEmpty()) {
            builder.trustStore(trustStore, trustStorePassword);
        }
        if (!keyStore.isEmpty()) {
            builder.keyStore(keyStore, keyStorePassword);
        }
        return builder;
    }

    private static Duration duration(String key, String value) {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(key + " is a duration such as 2s or 500ms");
        }
        int count = number(key, matcher.group(1));
        return matcher.group(2).equals("s") ? Duration.ofSeconds(count) : Duration.ofMillis(count);
    }

    @SuppressWarnings("UnusedException") // Its message has the value in it.
    private static int number(String key, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + " has a number that fits into 31 bits");
        }
    }

    @SuppressWarnings("UnusedException") // Its message has the text in it.
    private static String decode(String what, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "In " + what + " of a zookeeper URL a % is not followed by two hexadecimal digits: write % as %25");
        }
    }
}

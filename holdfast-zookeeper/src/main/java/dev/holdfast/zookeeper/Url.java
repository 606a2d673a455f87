package dev.holdfast.zookeeper;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code zookeeper://user:password@host:port,host:port/path?tickTime=2s&syncLimit=5&sessionTimeout=30s}. */
final class Url {
    static final String SCHEME = "zookeeper://";
    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s)");

    private Url() {}

    static ZooKeeperBackend.Builder parse(String url) {
        String rest = url.substring(SCHEME.length());
        int question = rest.indexOf('?');
        String parameters = question < 0 ? "" : rest.substring(question + 1);
        rest = question < 0 ? rest : rest.substring(0, question);
        int slash = rest.indexOf('/');
        int at = rest.lastIndexOf('@', slash < 0 ? rest.length() : slash);
        ZooKeeperBackend.Builder builder = new ZooKeeperBackend.Builder(null, Address.parse(rest.substring(at + 1)));
        if (at >= 0) {
            String[] user = rest.substring(0, at).split(":", 2);
            builder.digest(decode(user[0]), user.length < 2 ? "" : decode(user[1]));
        }
        for (String parameter : parameters.isEmpty() ? new String[0] : parameters.split("&")) {
            apply(builder, parameter);
        }
        return builder;
    }

    private static void apply(ZooKeeperBackend.Builder builder, String parameter) {
        int equals = parameter.indexOf('=');
        String key = equals < 0 ? parameter : parameter.substring(0, equals);
        String value = equals < 0 ? "" : decode(parameter.substring(equals + 1));
        switch (key) {
            case "tickTime" -> builder.tickTime(duration(key, value));
            case "sessionTimeout" -> builder.sessionTimeout(duration(key, value));
            case "syncLimit" -> builder.syncLimit(number(key, value));
            case "namespace" -> builder.namespace(value);
            default ->
                throw new IllegalArgumentException("No setting '" + key
                        + "' is known in a zookeeper:// URL; known are tickTime, syncLimit, sessionTimeout, namespace");
        }
    }

    private static Duration duration(String key, String value) {
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(key + " is a duration such as 2s or 500ms, not '" + value + "'");
        }
        int count = number(key, matcher.group(1));
        return matcher.group(2).equals("s") ? Duration.ofSeconds(count) : Duration.ofMillis(count);
    }

    private static int number(String key, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + " has a number, not '" + value + "'", e);
        }
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}

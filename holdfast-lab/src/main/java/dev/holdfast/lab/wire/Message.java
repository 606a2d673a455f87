package dev.holdfast.lab.wire;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * One line between the lab and a client process: a word, and named values.
 *
 * @param what an order to the client, or what has happened there
 */
public record Message(String what, Map<String, String> values) {
    public Message {
        values = Map.copyOf(values);
    }

    /**
     * Of these values.
     *
     * @param pairs names and values in turn
     */
    public static Message of(String what, Object... pairs) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i].toString(), pairs[i + 1].toString());
        }
        return new Message(what, values);
    }

    public static Message parse(String line) {
        String[] words = line.split(" ", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("Not a message: " + line);
            }
            values.put(words[i].substring(0, equals), decoded(words[i].substring(equals + 1)));
        }
        return new Message(words[0], values);
    }

    public String toLine() {
        StringJoiner line = new StringJoiner(" ");
        line.add(what);
        values.forEach((name, value) -> line.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return line.toString();
    }

    private static String decoded(String value) {
        return URLDecoder.decode(value, StandardCharsets.UTF_8);
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("No " + name + " in: " + toLine());
        }
        return value;
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public long number(String name) {
        return Long.parseLong(text(name));
    }

    public boolean flag(String name) {
        return Boolean.parseBoolean(text(name, "false"));
    }

    public Lane lane() {
        return Lane.of(text("lane"));
    }
}

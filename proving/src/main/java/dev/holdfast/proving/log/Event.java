package dev.holdfast.proving.log;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One line of a log.
 *
 * @param nanos the machine's monotonic clock, which is the same for all processes of a machine
 * @param client which process; "-" for the runner
 * @param section which of its sections; 0 where it is about none
 */
public record Event(long nanos, Kind kind, String client, long section, Map<String, String> fields) {
    public static final String RUNNER = "-";

    public Event {
        fields = Map.copyOf(fields);
    }

    /**
     * An event with these fields.
     *
     * @param keysAndValues in turns; a key whose value is null is left out
     */
    public static Event of(long nanos, Kind kind, String client, long section, @Nullable Object... keysAndValues) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            if (keysAndValues[i + 1] != null) {
                fields.put(String.valueOf(keysAndValues[i]), String.valueOf(keysAndValues[i + 1]));
            }
        }
        return new Event(nanos, kind, client, section, fields);
    }

    public static Event ofRunner(long nanos, Kind kind, @Nullable Object... keysAndValues) {
        return of(nanos, kind, RUNNER, 0, keysAndValues);
    }

    public OptionalLong number(String key) {
        String value = fields.get(key);
        return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }

    public Optional<String> text(String key) {
        return Optional.ofNullable(fields.get(key));
    }

    public String toLine() {
        StringBuilder line = new StringBuilder()
                .append(nanos)
                .append(' ')
                .append(kind)
                .append(' ')
                .append(client)
                .append(' ')
                .append(section);
        fields.forEach((key, value) ->
                line.append(' ').append(key).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return line.toString();
    }

    /**
     * Reads what {@link #toLine} wrote.
     *
     * @throws IllegalArgumentException if it is no line of a log
     */
    public static Event parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length < 4) {
            throw new IllegalArgumentException("Not a line of a log: " + line);
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 4; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("Not a field: " + words[i] + " in " + line);
            }
            fields.put(
                    words[i].substring(0, equals),
                    URLDecoder.decode(words[i].substring(equals + 1), StandardCharsets.UTF_8));
        }
        return new Event(Long.parseLong(words[0]), Kind.valueOf(words[1]), words[2], Long.parseLong(words[3]), fields);
    }
}

package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The requests of an uncontended lock, as they go over the wire, for whoever wants to send them without a client. */
final class ScriptRequests {
    private static final String NEVER_TOO_LATE = Long.toString(1L << 52);

    private ScriptRequests() {}

    /** What the server has to know before. */
    static List<String> sources() {
        return List.of(Script.ACQUIRE.source(), Script.RELEASE.source());
    }

    /** Acquire and release, one behind the other. */
    static byte[] lockAndUnlock(String name, String owner) {
        // Claim window, server (unknown).
        String context = "2000 ";
        String[] keys = Keys.standard().of(name);
        String both =
                request(Script.ACQUIRE, keys, context, owner, "30000", "16", "x - 1 host benchmark", NEVER_TOO_LATE)
                        + request(Script.RELEASE, keys, context, owner);
        return both.getBytes(StandardCharsets.UTF_8);
    }

    private static String request(Script script, String[] keys, String... arguments) {
        StringBuilder text = new StringBuilder("*" + (3 + keys.length + arguments.length) + "\r\n");
        append(text, "EVALSHA", script.sha(), Integer.toString(keys.length));
        append(text, keys);
        append(text, arguments);
        return text.toString();
    }

    private static void append(StringBuilder text, String... words) {
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
    }
}

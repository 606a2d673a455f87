package dev.holdfast.dashboard.web;

import dev.holdfast.dashboard.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a request is answered with. Immutable; the bytes must not be changed. */
public final class Reply {
    final int status;
    final byte[] body;
    final Map<String, String> headers;

    private Reply(int status, byte[] body, Map<String, String> headers) {
        this.status = status;
        this.body = body;
        this.headers = headers;
    }

    /** Anything, of this content type. */
    public static Reply of(int status, String type, byte[] body) {
        return new Reply(status, body, Map.of("Content-Type", type));
    }

    /** Maps, lists, texts and numbers. */
    public static Reply json(int status, Object value) {
        return of(status, "application/json", Json.of(value).getBytes(StandardCharsets.UTF_8));
    }

    /** Done, or found. */
    public static Reply json(Object value) {
        return json(200, value);
    }

    /** A refusal: what was wrong, and what to do, in one sentence for people. */
    public static Reply refusal(int status, String reason) {
        return json(status, Map.of("error", reason));
    }

    /** The same with one more header. */
    public Reply with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Reply(status, body, Map.copyOf(more));
    }

    Reply withStatus(int other) {
        return new Reply(other, body, headers);
    }
}

package dev.holdfast.dashboard.web;

import dev.holdfast.dashboard.json.Json;
import java.nio.charset.StandardCharsets;

/** A message to the browsers that listen: bytes, made once for all of them. Immutable. */
public final class Event {
    private final byte[] bytes;

    private Event(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A message of one line.
     *
     * @param type what the page listens for, such as {@code change}
     * @param value maps, lists, texts and numbers; on one line as JSON, so that nothing in it can end the message
     */
    public static Event of(String type, Object value) {
        return new Event(("event: " + type + "\ndata: " + Json.of(value) + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
        return bytes;
    }

    /** As it is sent. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

package dev.holdfast.dashboard.web;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The connection to a browser: commands and their answers, and what it tells by itself. */
final class DevTools implements WebSocket.Listener {
    private static final Gson GSON = new Gson();
    private static final long PATIENCE_SECONDS = 120;

    private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonObject>> listeners = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private final StringBuilder partial = new StringBuilder();
    private final WebSocket socket;

    DevTools(URI at) {
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(at, this)
                .join();
    }

    /** Tells of events of this page. */
    void listen(String session, Consumer<JsonObject> events) {
        listeners.put(session, events);
    }

    /** @param session of a page; empty for the browser itself */
    JsonObject send(String session, String method, Map<String, ?> parameters) {
        int id = number.incrementAndGet();
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        JsonObject message = new JsonObject();
        message.addProperty("id", id);
        message.addProperty("method", method);
        message.add("params", GSON.toJsonTree(parameters));
        if (!session.isEmpty()) {
            message.addProperty("sessionId", session);
        }
        synchronized (this) {
            socket.sendText(GSON.toJson(message), true).join();
        }
        JsonObject got = answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        if (got.has("error")) {
            throw new AssertionError(method + ": " + got.get("error"));
        }
        return got.getAsJsonObject("result");
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            JsonObject message = JsonParser.parseString(partial.toString()).getAsJsonObject();
            partial.setLength(0);
            take(message);
        }
        from.request(1);
        return null;
    }

    private void take(JsonObject message) {
        if (message.has("id")) {
            CompletableFuture<JsonObject> answer =
                    waiting.remove(message.get("id").getAsInt());
            if (answer != null) {
                answer.complete(message);
            }
        } else if (message.has("sessionId")) {
            Consumer<JsonObject> listener =
                    listeners.get(message.get("sessionId").getAsString());
            if (listener != null) {
                listener.accept(message);
            }
        }
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
        waiting.values().forEach(answer -> answer.completeExceptionally(failure));
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        onError(from, new IllegalStateException("The browser has closed the connection: " + reason));
        return null;
    }

    void close() {
        socket.abort();
    }
}

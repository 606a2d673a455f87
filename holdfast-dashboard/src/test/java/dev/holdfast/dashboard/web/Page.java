package dev.holdfast.dashboard.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** One page of a {@link Browser}: looks at it, and uses mouse and keyboard as a person would. */
public final class Page implements AutoCloseable {
    /** A whole story of the lab is waited for. */
    private static final long PATIENCE_SECONDS = 240;

    private static final Map<String, Integer> KEY_CODES = Map.ofEntries(
            Map.entry("Enter", 13),
            Map.entry("Tab", 9),
            Map.entry("Escape", 27),
            Map.entry("ArrowDown", 40),
            Map.entry("ArrowUp", 38),
            Map.entry("PageDown", 34),
            Map.entry("PageUp", 33),
            Map.entry("Home", 36),
            Map.entry("End", 35));

    private final DevTools tools;
    private final String session;
    private final String context;
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();

    Page(DevTools tools, String session, String context) {
        this.tools = tools;
        this.session = session;
        this.context = context;
        tools.listen(session, this::heard);
        command("Page.enable", Map.of());
        command("Runtime.enable", Map.of());
        command("Log.enable", Map.of());
        size(1280, 800);
    }

    /** Errors of scripts, and what the content policy refused. */
    private void heard(JsonObject event) {
        String method = event.get("method").getAsString();
        JsonObject told = event.getAsJsonObject("params");
        if (method.equals("Runtime.exceptionThrown")) {
            problems.add(told.get("exceptionDetails").toString());
        } else if (method.equals("Log.entryAdded")) {
            JsonObject entry = told.getAsJsonObject("entry");
            String source = entry.get("source").getAsString();
            if (source.equals("security") || source.equals("javascript") || source.equals("violation")) {
                problems.add(entry.get("text").getAsString());
            }
        }
    }

    /** What went wrong in the page so far. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    private JsonObject command(String method, Map<String, ?> parameters) {
        return tools.send(session, method, parameters);
    }

    public void go(URI at) {
        // The answer comes before the old document is gone: it must not be taken for the new one.
        evaluate("window.isLeft = true");
        command("Page.navigate", Map.of("url", at.toString()));
        until("!window.isLeft && document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /** The value of an expression; promises are awaited. */
    public JsonElement evaluate(String expression) {
        JsonObject got = command(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "awaitPromise", true, "userGesture", true));
        if (got.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + got.get("exceptionDetails"));
        }
        JsonElement value = got.getAsJsonObject("result").get("value");
        return value == null ? JsonNull.INSTANCE : value;
    }

    public boolean is(String condition) {
        JsonElement value = evaluate("Boolean(" + condition + ")");
        return value.getAsBoolean();
    }

    /** Waits until it is true. */
    public void until(String condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds(condition)) {
            assertThat(System.nanoTime())
                    .as(() -> "never true: " + condition + "\nThe page says: "
                            + evaluate("document.body.innerText.slice(0, 4000)") + "\nProblems: " + problems)
                    .isLessThan(end);
            pause();
        }
    }

    /** While a page loads, what is asked of the old one gets no answer: that counts as no. */
    private boolean holds(String condition) {
        try {
            return is("(() => { try { return " + condition + "; } catch { return false; } })()");
        } catch (AssertionError navigating) {
            return false;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(30);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public String text(String selector) {
        return evaluate("document.querySelector(" + quoted(selector) + ").innerText")
                .getAsString();
    }

    public void untilText(String selector, String part) {
        until("document.querySelector(" + quoted(selector) + ").innerText.includes(" + quoted(part) + ")");
    }

    /** Once, when it is enabled and has stopped moving: a second click may do something else than the first. */
    public void click(String selector) {
        String element = "document.querySelector(" + quoted(selector) + ")";
        until(element + " && !" + element + ".disabled");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        JsonObject at = middleOf(element);
        JsonObject before;
        do {
            assertThat(System.nanoTime()).as("never at rest: " + selector).isLessThan(end);
            before = at;
            pause();
            at = middleOf(element);
        } while (!at.equals(before));
        for (String type : List.of("mousePressed", "mouseReleased")) {
            command(
                    "Input.dispatchMouseEvent",
                    Map.of(
                            "type",
                            type,
                            "x",
                            at.get("x").getAsDouble(),
                            "y",
                            at.get("y").getAsDouble(),
                            "button",
                            "left",
                            "clickCount",
                            1));
        }
    }

    private JsonObject middleOf(String element) {
        return evaluate("(() => { const e = " + element
                        + "; e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();"
                        + " return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()")
                .getAsJsonObject();
    }

    /** One key, by its name. */
    public void press(String key) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("key", key);
        Integer code = KEY_CODES.get(key);
        if (code != null) {
            event.put("code", key);
            event.put("windowsVirtualKeyCode", code);
        }
        if (key.equals("Enter")) {
            event.put("text", "\r");
        } else if (key.length() == 1) {
            event.put("text", key);
        }
        event.put("type", event.containsKey("text") ? "keyDown" : "rawKeyDown");
        command("Input.dispatchKeyEvent", event);
        event.remove("text");
        event.put("type", "keyUp");
        command("Input.dispatchKeyEvent", event);
    }

    public void type(String text) {
        text.codePoints().forEach(point -> press(Character.toString(point)));
    }

    public void size(int width, int height) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** What the system prefers: {@code light} or {@code dark}. */
    public void colours(String scheme) {
        command(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    public void screenshot(Path file) throws IOException {
        String data = command("Page.captureScreenshot", Map.of("format", "png"))
                .get("data")
                .getAsString();
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, Base64.getDecoder().decode(data));
    }

    static String quoted(String text) {
        return new Gson().toJson(text);
    }

    @Override
    public void close() {
        tools.send("", "Target.disposeBrowserContext", Map.of("browserContextId", context));
    }
}

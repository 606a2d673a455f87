package dev.holdfast.dashboard.web;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real Chromium without a window, one for each test class, with a profile of its own. Driven by its own protocol. */
public final class Browser implements BeforeAllCallback, AfterAllCallback {
    private static final int START_SECONDS = 120;

    private Process process;
    private Path profile;
    private DevTools tools;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        profile = Files.createTempDirectory("holdfast-browser");
        process = new ProcessBuilder(
                        System.getProperty("holdfast.chromium"),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-extensions",
                        "--lang=en-GB",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("browser.log").toFile())
                .start();
        tools = new DevTools(address());
    }

    /** Written by the browser when it listens. */
    private URI address() throws IOException, InterruptedException {
        Path file = profile.resolve("DevToolsActivePort");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < end) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() >= 2) {
                return URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1));
            }
            if (!process.isAlive()) {
                break;
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException(
                "The browser did not start. It said: " + Files.readString(profile.resolve("browser.log")));
    }

    /** A new page with cookies of its own, as if in another browser. */
    public Page open(URI at) {
        String own = tools.send("", "Target.createBrowserContext", Map.of())
                .get("browserContextId")
                .getAsString();
        JsonObject target =
                tools.send("", "Target.createTarget", Map.of("url", "about:blank", "browserContextId", own));
        String id = target.get("targetId").getAsString();
        String session = tools.send("", "Target.attachToTarget", Map.of("targetId", id, "flatten", true))
                .get("sessionId")
                .getAsString();
        Page page = new Page(tools, session, own);
        page.go(at);
        return page;
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (tools != null) {
            tools.close();
        }
        if (process != null) {
            List<ProcessHandle> helpers = process.descendants().toList();
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            helpers.forEach(ProcessHandle::destroyForcibly);
        }
        if (profile != null) {
            delete();
        }
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException stillWriting) {
            // A helper of the browser wrote once more. What is left lies in the folder for such things.
            return;
        }
    }
}

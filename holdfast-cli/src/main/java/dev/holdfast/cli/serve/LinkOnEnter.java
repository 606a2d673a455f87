package dev.holdfast.cli.serve;

import dev.holdfast.cli.output.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.Charset;
import java.util.function.Supplier;

/** Prints another link whenever Enter is pressed: each is good once, and there are more browsers than one. */
public final class LinkOnEnter {
    private LinkOnEnter() {}

    /** Does nothing where nobody can press a key. */
    public static void start(Console console, Supplier<URI> newLink) {
        if (!console.canAsk()) {
            return;
        }
        console.note("Press Enter for another link.");
        Thread thread = new Thread(() -> read(console, newLink), "holdfast-enter");
        thread.setDaemon(true);
        thread.start();
    }

    private static void read(Console console, Supplier<URI> newLink) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))) {
            while (lines.readLine() != null) {
                console.say("Another link: " + newLink.get());
            }
        } catch (IOException e) {
            console.note("No more links can be asked for: " + e.getMessage());
        }
    }
}

package dev.holdfast.proving.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes what is published of a run. */
public final class Report {
    private Report() {}

    public static void write(Path folder, Conditions conditions, Results results) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("results.json"), Json.of(conditions, results));
        Files.writeString(folder.resolve("results.md"), Markdown.of(conditions, results));
        Files.writeString(folder.resolve("index.html"), Page.of(conditions, results));
    }
}

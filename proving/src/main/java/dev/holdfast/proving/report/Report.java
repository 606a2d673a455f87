package dev.holdfast.proving.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes what is published of a run. */
public final class Report {
    private Report() {}

    /** Returns the page. A soak has files of its own, so that it stands beside the comparison. */
    public static Path write(Path folder, Conditions conditions, Results results) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(conditions.jsonFile()), Json.of(conditions, results));
        Files.writeString(
                folder.resolve(conditions.isSoak() ? "soak.md" : "results.md"), Markdown.of(conditions, results));
        return Files.writeString(folder.resolve(conditions.pageFile()), Page.of(conditions, results));
    }
}

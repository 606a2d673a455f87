package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** A URL in a file or behind a descriptor, where the other users of a machine cannot read it. */
final class UrlFile {
    private static final Set<String> STANDARD_INPUT = Set.of("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0");

    private UrlFile() {}

    /** The first line, which may be the only one. */
    static String read(String path) {
        if (STANDARD_INPUT.contains(path)) {
            throw new CliException(
                    ExitCode.USAGE,
                    "The URL cannot come from standard input, which is the command's. Use another descriptor:"
                            + " --at-file /dev/fd/3 3< FILE");
        }
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8))) {
            String url = lines.readLine();
            if (url == null || url.isBlank()) {
                throw new CliException(ExitCode.USAGE, "The first line of " + path + " is empty: it must be a URL.");
            }
            return url.strip();
        } catch (IOException e) {
            throw new CliException(ExitCode.USAGE, "The URL cannot be read from a file: " + e.getMessage());
        }
    }
}

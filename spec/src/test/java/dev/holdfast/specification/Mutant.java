package dev.holdfast.specification;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A module that replaces some definitions of the specification: {@code MutatedX} takes the place of {@code X}. Its comment
 * says in which configuration that must show, and as the violation of what.
 */
record Mutant(Path file, String module, Path configuration, String violates, List<String> replaced) {
    private static final Pattern REPLACED = Pattern.compile("(?m)^Mutated(\\w+)");

    static Mutant read(Path file) {
        try {
            String text = Files.readString(file);
            return new Mutant(
                    file,
                    file.getFileName().toString().replace(".tla", ""),
                    Path.of("configurations", only("Configuration: (\\w+)", text) + ".cfg"),
                    only("Violates: (\\w+)", text),
                    REPLACED.matcher(text)
                            .results()
                            .map(found -> found.group(1))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the configuration has to say besides. */
    String overrides() {
        StringBuilder lines = new StringBuilder();
        replaced.forEach(name -> lines.append("CONSTANT ")
                .append(name)
                .append(" <- Mutated")
                .append(name)
                .append('\n'));
        return lines.toString();
    }

    private static String only(String pattern, String text) {
        List<MatchResult> found =
                Pattern.compile(pattern).matcher(text).results().toList();
        if (found.size() != 1) {
            throw new IllegalStateException(pattern + " occurs " + found.size() + " times in:\n" + text);
        }
        return found.get(0).group(1);
    }

    @Override
    public String toString() {
        return module;
    }
}

package dev.holdfast.dashboard.web;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a site, out of the jar. They are named one by one and read at the start: no path of a request ever reaches a file
 * system. Immutable.
 */
public final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "json", "application/json");

    private final Map<String, Reply> files;

    private Assets(Map<String, Reply> files) {
        this.files = files;
    }

    /**
     * The resources of these names beside the class, or in a folder below it; each is served under its name.
     *
     * @param folder such as {@code page/}; empty for those beside the class
     * @throws UncheckedIOException if one of them is not there
     */
    public static Assets beside(Class<?> anchor, String folder, String... names) {
        Map<String, Reply> files = new HashMap<>();
        for (String name : names) {
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            if (type == null) {
                throw new IllegalArgumentException("No content type is known for " + name);
            }
            files.put("/" + name, Reply.of(200, type, read(anchor, folder + name)));
        }
        return new Assets(Map.copyOf(files));
    }

    /** These, and those of the others. Where both have a name, the others' counts. */
    public Assets and(Assets others) {
        Map<String, Reply> all = new HashMap<>(files);
        all.putAll(others.files);
        return new Assets(Map.copyOf(all));
    }

    private static byte[] read(Class<?> anchor, String name) {
        try (InputStream in = anchor.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException("No resource " + name + " beside " + anchor.getName());
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    Reply at(String path) {
        return files.get(path);
    }
}

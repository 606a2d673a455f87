package dev.holdfast.jdbc.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * How the tables are called, and what is common to all statements. Statements are written with the default names, so that
 * the files can be read, and run, as they are.
 */
public record Tables(String prefix) {
    public static final String DEFAULT_PREFIX = "holdfast_";
    /** Names share counters and mutexes. More buckets: less waiting; fewer: less to store. */
    public static final int BUCKETS = 256;

    private static final Pattern ALLOWED =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,40}\\.)?[A-Za-z_][A-Za-z0-9_]{0,40}");
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*");

    public Tables {
        if (!ALLOWED.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "A table prefix is made of letters, digits and underscores, with a schema"
                            + " and a dot before it if need be: '" + prefix + "'");
        }
    }

    /** The statement with the names of these tables. */
    public String in(String sql) {
        return prefix.equals(DEFAULT_PREFIX) ? sql : sql.replace(DEFAULT_PREFIX, prefix);
    }

    /** A statement of this package, without its comments: they are for people, and would travel with every request. */
    public String statement(String resource) {
        return in(COMMENT.matcher(read(resource)).replaceAll("").strip());
    }

    /** What creates the tables, for people. */
    public String ddl(String name) {
        return in(read("/META-INF/holdfast/" + name + ".sql"));
    }

    /** What creates the tables, one statement after the other. */
    public List<String> ddlStatements(String name) {
        String plain = COMMENT.matcher(ddl(name)).replaceAll("");
        return Arrays.stream(plain.split(";", -1))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toList());
    }

    /** Must never change: two processes that disagree would use two counters for one name. */
    public static int bucket(String name) {
        CRC32 hash = new CRC32();
        hash.update(bytes(name));
        return (int) (hash.getValue() % BUCKETS);
    }

    /** Names are stored as bytes: text would be compared by rules that differ from database to database. */
    public static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    private static String read(String resource) {
        try (InputStream in = Tables.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("Missing from the jar: " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

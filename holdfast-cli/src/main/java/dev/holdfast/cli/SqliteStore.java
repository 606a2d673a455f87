package dev.holdfast.cli;

import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.spi.LockBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that processes of this machine share. */
record SqliteStore(String label, Path file) implements Store {
    static SqliteStore of(String url, String path) {
        if (path.isEmpty()) {
            throw new CliException(ExitCode.USAGE, "'" + url + "' names no file. Write sqlite:PATH.");
        }
        return new SqliteStore(url, Path.of(path));
    }

    /** Only for the file that nobody named: where a path was given, a missing directory is a typing error. */
    static void createDirectory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        try {
            if (directory != null) {
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "No place for the locks: the directory " + directory + " cannot be created (" + e
                            + "). Give --at URL,"
                            + " or set XDG_STATE_HOME to a directory that this user may write to.");
        }
    }

    @Override
    public LockBackend backend() {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new CliException(
                    ExitCode.UNAVAILABLE, "No place for the locks: there is no directory " + directory + ".");
        }
        return JdbcBackend.sqlite(file);
    }

    @Override
    public String initialise() {
        if (Files.exists(file)) {
            throw new CliException(ExitCode.NO, "There is a file already: " + file + ". Nothing was changed.");
        }
        backend().close();
        return "Created " + file + " with its tables.";
    }
}

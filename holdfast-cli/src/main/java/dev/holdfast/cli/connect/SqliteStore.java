package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
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
                PrivateFiles.createDirectories(directory);
            }
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "The directory " + directory + " for the lock file cannot be created (" + e
                            + "). Pass --at URL, or set XDG_STATE_HOME to a directory that this user may write to.");
        }
    }

    @Override
    public LockBackend backend() {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new CliException(ExitCode.UNAVAILABLE, "There is no directory " + directory + " for the lock file.");
        }
        if (Files.isDirectory(file)) {
            throw new CliException(ExitCode.UNAVAILABLE, file + " is a directory. Pass the path of a file in it.");
        }
        try {
            PrivateFiles.createIfMissing(file);
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "The file " + file + " cannot be created (" + e
                            + "). Choose a directory that this user may write to.");
        }
        return JdbcBackend.sqlite(file);
    }

    /** A missing file is not created: nothing in it can be guarded. */
    @Override
    public Guards guards() {
        if (!Files.isRegularFile(file)) {
            throw new CliException(ExitCode.UNAVAILABLE, "There is no file " + file + ".");
        }
        return new SqlGuards(label, new ConnectionPool("jdbc:sqlite:" + file.toAbsolutePath()));
    }

    /** Asks only when something has gone wrong, so that it costs nobody else anything. */
    @Override
    public String explain(String why) {
        if (!BlockedFile.is(file)) {
            return why;
        }
        return why + (why.endsWith(".") ? "" : ".")
                + " Another process keeps the file locked, so that nobody can acquire or release a lock. That process may be"
                + " stopped or hang: fuser -v " + file
                + " lists the processes that have it open, and ps -o pid,stat,args shows a stopped one with state T";
    }

    @Override
    public String initialise() {
        if (Files.isRegularFile(file)) {
            // Tables of the same names, of whatever version, are refused there.
            return new JdbcStore("jdbc:sqlite:" + file.toAbsolutePath()).initialise();
        }
        backend().close();
        return "Created " + file + " with its tables.";
    }
}

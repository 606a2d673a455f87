package dev.holdfast.jdbc.file;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file of locks, by the name that everybody uses for it. It is looked at by name only and never opened here: closing it
 * would drop the locks that SQLite has on it in this process.
 */
public final class LockFile {
    private static final int OTHERS = 077;
    private static final int FILE_TYPE = 0170000;
    private static final int REGULAR_FILE = 0100000;

    /**
     * What the name leads to now.
     *
     * @param key device and inode, where the system has them
     * @param links how many names the file has
     * @param mode type and permissions, as a number; 0 where the system has none
     */
    public record Seen(Object key, int links, int mode) {}

    /** What SQLite keeps beside a file while somebody has it open: whoever opens it by name reads these first. */
    private static final List<String> COMPANIONS = List.of("-wal", "-shm");

    private final Path name;
    private final boolean unix;

    public LockFile(Path name) {
        this.name = name.toAbsolutePath();
        this.unix = this.name.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    public Path path() {
        return name;
    }

    /** What the name leads to now, symbolic links followed; null if there is no file. */
    @Nullable
    public Seen look() {
        try {
            if (!unix) {
                BasicFileAttributes found = Files.readAttributes(name, BasicFileAttributes.class);
                Object key = found.fileKey();
                return new Seen(key == null ? found.creationTime() : key, 1, 0);
            }
            Map<String, Object> found = Files.readAttributes(name, "unix:dev,ino,nlink,mode");
            return new Seen(
                    List.of(Objects.requireNonNull(found.get("dev")), Objects.requireNonNull(found.get("ino"))),
                    (Integer) Objects.requireNonNull(found.get("nlink")),
                    (Integer) Objects.requireNonNull(found.get("mode")));
        } catch (NoSuchFileException gone) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("the lock file " + name + " cannot be looked at: " + text(e), e);
        }
    }

    /**
     * Device and inode of SQLite's companion files, in a fixed order; empty in place of one that is not there. SQLite removes
     * them only when the last connection is closed. If they go while we have one open, somebody else removed them: what we
     * write from then on is read by nobody, though the file itself is the same.
     */
    public List<Object> lookAtCompanions() {
        List<Object> keys = new ArrayList<>();
        for (String companion : COMPANIONS) {
            Seen seen = new LockFile(Path.of(name + companion)).look();
            keys.add(seen == null ? "" : seen.key());
        }
        return keys;
    }

    /** Creates the file for this user alone. SQLite gives its companion files the same mode. */
    public void createIfMissing() {
        if (Files.isDirectory(name)) {
            throw new RefusedException("the lock file " + name + " is a directory. Name a file in it.");
        }
        if (Files.exists(name) && !Files.isRegularFile(name)) {
            throw notAFile();
        }
        try {
            Path target = target();
            Path directory = target.getParent();
            if (directory != null && !Files.isDirectory(directory)) {
                Files.createDirectories(directory, permissions("rwx------"));
            }
            if (!Files.exists(target)) {
                Files.createFile(target, permissions("rw-------"));
            }
        } catch (FileAlreadyExistsException somebodyWasQuicker) {
            // Another process created it, and has set its mode. If it should be a directory and is none, SQLite reports
            // that.
        } catch (IOException e) {
            throw new RefusedException(
                    "the lock file " + name + " cannot be created: " + text(e)
                            + ". Name a file in a directory that this user may write to.",
                    e);
        }
    }

    /** The file to create: the end of the symbolic links, if the name is one that leads to nothing yet. */
    private Path target() throws IOException {
        Path target = name;
        for (int i = 0; Files.isSymbolicLink(target) && !Files.exists(target); i++) {
            if (i == 40) {
                throw new FileSystemException(name.toString(), null, "too many symbolic links");
            }
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }

    private FileAttribute<?>[] permissions(String mode) {
        boolean posix = name.getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : new FileAttribute<?>[0];
    }

    private RefusedException notAFile() {
        return new RefusedException("the lock file " + name
                + " is a device, a pipe or a socket, which can keep no locks." + " Name an ordinary file.");
    }

    /** To be called before the file is used for the first time. */
    public void requireUsable(Seen seen) {
        if (seen.mode() != 0 && (seen.mode() & FILE_TYPE) != REGULAR_FILE) {
            throw notAFile();
        }
        if (seen.links() > 1) {
            throw new RefusedException("the lock file " + name + " has " + seen.links() + " names (hard links)."
                    + " SQLite keeps its log beside the name it was given: processes that use different names would not"
                    + " see each other's locks, and would destroy the file. Remove the other names; a symbolic link may"
                    + " stand for them.");
        }
    }

    /** What is dangerous about the file, and who else can read it. */
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        Seen seen = look();
        if (seen != null && seen.links() > 1) {
            findings.add(new Finding(
                    "sqlite.hard-links",
                    Severity.DANGER,
                    "The lock file " + name + " has " + seen.links() + " names (hard links): processes that open it by"
                            + " different names do not see each other's locks.",
                    "Remove the other names, or make them symbolic links."));
        }
        if (seen != null && (seen.mode() & OTHERS) != 0) {
            findings.add(new Finding(
                    "sqlite.file-mode",
                    Severity.WARNING,
                    String.format(
                            "The lock file %s has mode %03o: other users can read who holds what%s.",
                            name, seen.mode() & 0777, (seen.mode() & 022) != 0 ? ", or take and break locks" : ""),
                    "If they are not meant to, run: chmod 600 " + name + "*"));
        }
        return findings;
    }

    public String goneText() {
        return "the lock file " + name
                + " was deleted or replaced while it was in use. Whoever came later uses the file"
                + " that is there now, and may have held the same lock at the same time. Do not delete, move or restore"
                + " the file while processes use it";
    }

    /** The reason: the message of these exceptions is only the name of the file. */
    private static String text(IOException e) {
        String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
        return e.getClass().getSimpleName() + (reason == null ? "" : ", " + reason);
    }
}

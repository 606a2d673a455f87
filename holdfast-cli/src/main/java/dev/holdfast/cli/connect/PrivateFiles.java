package dev.holdfast.cli.connect;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/** Files and directories for this user alone, whatever the umask: who holds which lock is nobody else's business. */
final class PrivateFiles {
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private PrivateFiles() {}

    /** Creates what is missing of it. What is there keeps its permissions: it is somebody's choice. */
    static void createDirectories(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path each = directory.toAbsolutePath(); each != null && !Files.exists(each); each = each.getParent()) {
            missing.push(each);
        }
        for (Path each : missing) {
            try {
                if (isPosix(each)) {
                    Files.createDirectory(each, PosixFilePermissions.asFileAttribute(DIRECTORY));
                    // A umask may have taken from it what we need ourselves.
                    Files.setPosixFilePermissions(each, DIRECTORY);
                } else {
                    Files.createDirectory(each);
                }
            } catch (FileAlreadyExistsException somebodyWasQuicker) {
                if (!Files.isDirectory(each)) {
                    throw somebodyWasQuicker;
                }
            }
        }
    }

    /** An empty file, unless there is one. */
    static void createIfMissing(Path file) throws IOException {
        try {
            if (isPosix(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(FILE));
                Files.setPosixFilePermissions(file, FILE);
            }
        } catch (FileAlreadyExistsException itIsThere) {
            // Whoever made it said who may use it.
            return;
        }
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

package dev.holdfast.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Whether a command can be started, asked before anybody waits for a lock. */
final class Executables {
    private Executables() {}

    static void require(String command, String searchPath) {
        List<Path> places = command.contains("/")
                ? List.of(Path.of(command))
                : Arrays.stream(searchPath.split(File.pathSeparator, -1))
                        .map(directory -> Path.of(directory, command))
                        .toList();
        List<Path> files = places.stream().filter(Files::isRegularFile).toList();
        if (files.stream().anyMatch(Files::isExecutable)) {
            return;
        }
        if (files.isEmpty() && places.stream().noneMatch(Files::isDirectory)) {
            throw new CliException(ExitCode.NOT_FOUND, "Command not found: " + command);
        }
        throw new CliException(ExitCode.NOT_EXECUTABLE, "Not executable: " + command);
    }

    static CliException notStarted(String command, String why) {
        // The text of the JDK carries errno; 2 is "no such file".
        int code = why.contains("error=2,") ? ExitCode.NOT_FOUND : ExitCode.NOT_EXECUTABLE;
        return new CliException(code, "Cannot start " + command + ": " + why);
    }
}

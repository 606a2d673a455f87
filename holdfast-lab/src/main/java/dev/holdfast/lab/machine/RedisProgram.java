package dev.holdfast.lab.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The Redis server that comes with us, for the machines that it was built for. */
public final class RedisProgram {
    private RedisProgram() {}

    /**
     * Writes the program into the folder and returns where it is.
     *
     * @throws IOException if there is none for this machine, or the folder cannot be written
     */
    public static Path unpackInto(Path folder) throws IOException {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String machine = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        String name = "redis-server-7.0.15-" + system + "-" + machine;
        Path program = folder.resolve("redis-server");
        try (InputStream packed = ClassLoader.getSystemResourceAsStream(name)) {
            if (packed == null) {
                throw new IOException("there is no " + name);
            }
            Files.copy(packed, program);
        }
        if (!program.toFile().setExecutable(true)) {
            throw new IOException(program + " cannot be made executable");
        }
        return program;
    }
}

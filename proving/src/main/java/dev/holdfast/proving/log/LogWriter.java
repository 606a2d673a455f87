package dev.holdfast.proving.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes events to a file of this process. When {@link #write} has returned, the line is with the system, and stays if this
 * process is killed. Safe for use by many threads.
 */
public final class LogWriter implements AutoCloseable {
    private final FileChannel channel;
    private final ReentrantLock lock = new ReentrantLock();

    public LogWriter(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    public void write(Event event) {
        ByteBuffer line = ByteBuffer.wrap((event.toLine() + "\n").getBytes(StandardCharsets.UTF_8));
        lock.lock();
        try {
            while (line.hasRemaining()) {
                int unused = channel.write(line);
            }
        } catch (IOException e) {
            // What cannot be written down cannot be checked: the process must not go on as if it were.
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

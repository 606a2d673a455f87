package dev.holdfast.cli.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * Lets whole lines through, without passwords: what libraries and the JVM print for themselves passes here too. Remembers
 * the first failure, which a PrintStream would swallow.
 */
final class MaskedStream extends OutputStream {
    private final OutputStream inner;
    private final Charset charset;
    // Guarded by this, as are all writes: several threads print.
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private @Nullable IOException failure;

    MaskedStream(OutputStream inner, Charset charset) {
        this.inner = inner;
        this.charset = charset;
    }

    @Override
    public synchronized void write(int b) {
        line.write(b);
        if (b == '\n') {
            pass();
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
        int end = from + count;
        while (end > from && bytes[end - 1] != '\n') {
            end--;
        }
        if (end > from) {
            line.write(bytes, from, end - from);
            pass();
        }
        line.write(bytes, end, from + count - end);
    }

    /** For what has been masked where its parts were still known, and must stay what a program can read. */
    synchronized void writeAsIs(String text) {
        pass();
        put(text.getBytes(charset));
    }

    private void pass() {
        if (line.size() > 0) {
            byte[] bytes = line.toByteArray();
            line.reset();
            String text = new String(bytes, charset);
            String masked = Passwords.mask(text);
            // What is not text in this charset goes through as it came.
            put(masked.equals(text) ? bytes : masked.getBytes(charset));
        }
    }

    private void put(byte[] bytes) {
        try {
            inner.write(bytes);
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
    }

    @Override
    public synchronized void flush() {
        pass();
        try {
            inner.flush();
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
    }

    /** Why something could not be written; null if all was. */
    synchronized @Nullable IOException failure() {
        return failure;
    }
}

package dev.holdfast.cli.run;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The two pipes to the shell that starts the command for us; {@code libexec/command.sh} is the other side. They stand where
 * a program has its input and output: the command has the real ones.
 */
public final class LauncherPipe {
    private final OutputStream orders;
    private final InputStream answers;

    LauncherPipe(OutputStream orders, InputStream answers) {
        this.orders = orders;
        this.answers = answers;
    }

    /** From now on only orders may be written to the pipe. */
    public static LauncherPipe toLauncher() {
        System.setOut(System.err);
        return new LauncherPipe(new FileOutputStream(FileDescriptor.out), new FileInputStream(FileDescriptor.in));
    }

    /** Java has started. Until it says so, the shell takes the end of the pipe for a JVM that could not start. */
    public void ready() {
        try {
            send("ready");
        } catch (IOException e) {
            // The shell has gone. Starting the command will say so.
        }
    }

    /** A line that is shorter than a pipe's buffer is written as a whole. */
    void send(String order) throws IOException {
        orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** As octal escapes: any text passes, on one line. */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            escaped.append("\\0")
                    .append(Integer.toOctalString((each & 0xff) | 0x200).substring(1));
        }
        return escaped.toString();
    }

    /** Prints on the output that the command would have. Returns when it is written. */
    public void print(String text) {
        try {
            send("print " + escaped(text));
            if (answers.read() < 0) {
                throw new IOException("no answer");
            }
        } catch (IOException e) {
            System.err.print(text);
        }
    }

    InputStream answers() {
        return answers;
    }
}

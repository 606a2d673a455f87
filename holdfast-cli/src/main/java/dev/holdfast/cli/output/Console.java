package dev.holdfast.cli.output;

import dev.holdfast.spi.Failures;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * All output of the command passes through here. What it was asked for goes to stdout, everything else to stderr, so that
 * neither mixes with the output of a child. Passwords are masked, and control characters from elsewhere do not reach the
 * terminal.
 */
public final class Console {
    private static final Charset CHARSET = charset();

    private final MaskedStream stdout;
    private final PrintStream out;
    private final PrintStream err;
    private final String terminals;
    private final boolean quiet;
    private final AtomicBoolean lossTold = new AtomicBoolean();

    /** The console of this process, created when it is first used. */
    private static final class Standard {
        static final Console CONSOLE = takeOver();

        private Standard() {}

        /** Replaces System.out and System.err, for the help of the parser, drivers and uncaught exceptions. */
        private static Console takeOver() {
            Console console = new Console(
                    new FileOutputStream(FileDescriptor.out),
                    new FileOutputStream(FileDescriptor.err),
                    System.getProperty("holdfast.terminals", ""),
                    false);
            System.setOut(console.out);
            System.setErr(console.err);
            return console;
        }
    }

    /**
     * @param terminals which of the descriptors 0, 1 and 2 are terminals, as digits. The launcher tells: Java cannot
     * @param quiet no notes, only errors
     */
    public Console(OutputStream out, OutputStream err, String terminals, boolean quiet) {
        this.stdout = new MaskedStream(out, CHARSET);
        this.out = new PrintStream(stdout, false, CHARSET);
        this.err = new PrintStream(new MaskedStream(err, CHARSET), true, CHARSET);
        this.terminals = terminals;
        this.quiet = quiet;
    }

    private Console(Console same, boolean quiet) {
        this.stdout = same.stdout;
        this.out = same.out;
        this.err = same.err;
        this.terminals = same.terminals;
        this.quiet = quiet;
    }

    public static Console system() {
        return Standard.CONSOLE;
    }

    /** The charset of the terminal, not that of files. */
    private static Charset charset() {
        String name = System.getProperty("native.encoding", "");
        return !name.isEmpty() && Charset.isSupported(name) ? Charset.forName(name) : Charset.defaultCharset();
    }

    public Console quietIf(boolean silent) {
        return new Console(this, silent);
    }

    public boolean canAsk() {
        return terminals.contains("0");
    }

    public boolean showsProgress() {
        return !quiet && terminals.contains("2") && !"dumb".equals(System.getenv("TERM"));
    }

    // ---- stdout: what the command was asked for

    public void say(String line) {
        out.println(DisplayText.text(line));
    }

    /**
     * Prints a line that must not be lost. If it cannot be written, it goes to stderr, and the first time it is said why. A
     * reader that has gone is no excuse here.
     */
    public void record(String line) {
        say(line);
        out.flush();
        IOException failure = stdout.failure();
        if (failure == null) {
            return;
        }
        if (lossTold.compareAndSet(false, true)) {
            error("The record cannot be written to stdout: " + Failures.describe(failure) + ". It is continued here.");
        }
        hint(line);
    }

    /** Prints JSON on one line. Only the passwords that this process was given are masked in it. */
    public void json(Object value) {
        out.flush();
        stdout.writeAsIs(Json.of(value) + "\n");
    }

    /**
     * Flushes, and returns the exit code: another one if the output could not be written. If the reader has gone ({@code ls |
     * head}), nothing is said, as with any other program.
     */
    public int finish(int exitCode) {
        out.flush();
        IOException failure = stdout.failure();
        if (failure == null || exitCode != ExitCode.OK) {
            return exitCode;
        }
        if (String.valueOf(failure.getMessage()).contains("Broken pipe")) {
            return ExitCode.ofSignal(ExitCode.SIGPIPE);
        }
        error("The output could not be written: " + failure.getMessage() + ".");
        return ExitCode.NOT_WRITTEN;
    }

    // ---- stderr: everything else

    public void note(String text) {
        if (!quiet) {
            error(text);
        }
    }

    public void error(String text) {
        hint("holdfast: " + text);
    }

    /** A line that follows another. */
    public void hint(String text) {
        err.println(DisplayText.text(text));
        err.flush();
    }

    /** Asks a question and reads the answer. Everything but yes means no. */
    public boolean confirmed(String question) {
        err.print(DisplayText.text(question) + " ");
        err.flush();
        try {
            String answer = new BufferedReader(new InputStreamReader(System.in, CHARSET)).readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Prints the stack trace of an internal error. */
    public void trace(Throwable failure) {
        StringWriter lines = new StringWriter();
        failure.printStackTrace(new PrintWriter(lines));
        Passwords.mask(lines.toString()).lines().forEach(line -> hint(line.replace("\t", "    ")));
    }

    /**
     * Overwrites the line before it. The terminal is told not to begin a second line: only the first could be overwritten,
     * and only the terminal knows how wide it is.
     */
    public void progress(String text) {
        err.print("\r\u001b[K\u001b[?7l" + DisplayText.text(text) + "\u001b[?7h");
        err.flush();
    }

    public void clearProgress() {
        err.print("\r\u001b[K");
        err.flush();
    }
}

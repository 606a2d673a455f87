package dev.holdfast.cli;

import java.io.PrintStream;

/**
 * Where the command speaks. What it was asked for goes to stdout, everything else to stderr, so that neither mixes with
 * the output of a child.
 *
 * @param terminals which of the descriptors 0, 1 and 2 are terminals, as digits. The launcher tells: Java cannot
 * @param quiet no notes, only errors
 */
record Console(PrintStream out, PrintStream err, String terminals, boolean quiet) {
    static Console system() {
        return new Console(System.out, System.err, System.getProperty("holdfast.terminals", ""), false);
    }

    Console quietIf(boolean silent) {
        return new Console(out, err, terminals, silent);
    }

    boolean canAsk() {
        return terminals.contains("0");
    }

    boolean showsProgress() {
        return !quiet && terminals.contains("2");
    }

    /** On a terminal Ctrl-C reaches the child without us. */
    boolean onTerminal() {
        return !terminals.isEmpty();
    }

    void note(String text) {
        if (!quiet) {
            error(text);
        }
    }

    void error(String text) {
        err.println("holdfast: " + plain(text));
        err.flush();
    }

    /** Overwrites the line before it. */
    void progress(String text) {
        err.print("\r\u001b[K" + plain(text));
        err.flush();
    }

    void clearProgress() {
        err.print("\r\u001b[K");
        err.flush();
    }

    /** Host names and descriptions come from other machines: they must not steer this terminal. */
    static String plain(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            plain.append(Character.isISOControl(c) && c != '\n' ? '?' : c);
        }
        return plain.toString();
    }
}

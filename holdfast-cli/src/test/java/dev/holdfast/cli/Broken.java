package dev.holdfast.cli;

import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import java.io.IOException;
import java.util.List;

/** A program with a mistake in it, which knows the URL that it is given: for what it prints when it ends. */
final class Broken {
    private Broken() {}

    public static void main(String[] arguments) throws InterruptedException {
        String url = arguments[0];
        Console console = Console.system();
        Passwords.rememberThoseOf(List.of(arguments));
        Exception cause = new IOException("peer said: " + url.substring(url.indexOf(':') + 1));
        cause.addSuppressed(new IOException("\u001b[2Jclosing " + url));
        console.trace(new IllegalStateException("no " + url, cause));
        Thread other = new Thread(() -> {
            throw new IllegalStateException("in a thread of a library: " + url);
        });
        other.start();
        other.join();
        System.err.print("half a line of a library: " + url);
        System.exit(console.finish(ExitCode.INTERNAL_ERROR));
    }
}

package dev.holdfast.cli;

import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.events.Signals;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.serve.LinkOnEnter;
import dev.holdfast.cli.serve.RequestLimit;
import dev.holdfast.lab.Lab;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        description =
                "Starts five Redis servers, three clients and a page on which you kill, freeze and cut them off, and see"
                        + " what becomes of a lock. Everything runs on this machine and ends with the command.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "64:the command line is wrong",
            "69:the servers cannot be started, or the port cannot be opened",
            "128 + N:ended by signal N: 130 after Ctrl-C"
        })
final class LabCommand implements Callable<Integer> {
    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description = "The port of the page, on 127.0.0.1. Default: any that is free.")
    private int port;

    @Override
    public Integer call() throws InterruptedException {
        if (port < 0 || port > 65_535) {
            throw new CliException(ExitCode.USAGE, "--port is a number from 0 to 65535: " + port);
        }
        RequestLimit.set();
        Console console = Console.system();
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Signals.deliverTo(events::add);
        console.note("Starting five Redis servers and three clients…");
        try (Lab lab = Lab.start(port)) {
            if (!lab.whyNoClocks().isEmpty()) {
                console.note("Clocks of servers cannot be changed here: " + lab.whyNoClocks()
                        + ". Where one would run fast, the" + " lab ends the votes of that server early.");
            }
            console.say("This link opens the lab, once: " + lab.link());
            LinkOnEnter.start(console, lab::link);
            console.note("Ctrl-C ends it, with everything that it has started.");
            return ExitCode.ofSignal(awaitEnd(events));
        } catch (IOException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "The lab cannot be started: " + e.getMessage());
        }
    }

    private static int awaitEnd(BlockingQueue<Event> events) throws InterruptedException {
        while (true) {
            if (events.take() instanceof Event.Signalled signal && signal.asksToStop()) {
                return signal.number();
            }
        }
    }
}

package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.connect.Operator;
import dev.holdfast.cli.connect.Store;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.events.Signals;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.serve.LinkOnEnter;
import dev.holdfast.cli.serve.ListenOptions;
import dev.holdfast.cli.serve.RequestLimit;
import dev.holdfast.dashboard.Dashboard;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "dashboard",
        mixinStandardHelpOptions = true,
        description = "Shows the held locks in a browser, live: who holds them, who waits, what endangers the store."
                + " Prints a link that opens the page once.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "64:the command line is wrong",
            "69:the store cannot be used, or the port cannot be opened",
            "128 + N:ended by signal N: 130 after Ctrl-C"
        })
final class DashboardCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private ListenOptions listening = new ListenOptions();

    @Option(names = "--read-only", description = "Nothing can be broken: no button, and no path for it at the server.")
    private boolean readOnly;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Show at most this many locks, by name. Default: 20000.")
    private int limit = 20_000;

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        Store place = store.open(console);
        RequestLimit.set();
        return StoreSession.with(place, holdfast -> serve(holdfast, place, console));
    }

    private int serve(Holdfast holdfast, Store place, Console console) throws InterruptedException {
        String operator = Operator.here(System.getenv());
        Dashboard.Builder builder = listening.to(Dashboard.builder(holdfast)
                .label(place.label())
                .readOnly(readOnly)
                .limit(limit)
                .audit(console::record));
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Signals.deliverTo(events::add);
        try (Dashboard dashboard = builder.start()) {
            listening.warn(console, place.label(), readOnly);
            console.say("The locks at " + place.label() + " are shown at " + dashboard.uri());
            if (!listening.demandsCertificate()) {
                console.say("This link opens the page, once: " + dashboard.newLink(operator));
                LinkOnEnter.start(console, () -> dashboard.newLink(operator));
            }
            console.note("Ctrl-C ends it.");
            return ExitCode.ofSignal(awaitEnd(events));
        } catch (UncheckedIOException e) {
            throw new CliException(ExitCode.UNAVAILABLE, String.valueOf(e.getMessage()));
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

package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.LockReport;
import dev.holdfast.dashboard.json.LockJson;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "ls",
        mixinStandardHelpOptions = true,
        description = "Lists the locks, semaphores and read-write locks that are held.")
final class ListCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print one JSON array.")
    private boolean json;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Show at most this many holders. Default: 1000.")
    private int limit = 1000;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PREFIX",
            defaultValue = "",
            description = "Show only what has a name that starts with this.")
    private String prefix = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        return StoreSession.with(store.open(console), holdfast -> list(holdfast, console));
    }

    private int list(Holdfast holdfast, Console console) throws InterruptedException {
        List<LockState> states = holdfast.list(prefix, limit);
        if (json) {
            boolean queueIsKnown = holdfast.guarantees().fair();
            console.json(states.stream()
                    .map(state -> LockJson.of(state, queueIsKnown))
                    .toList());
        } else if (states.isEmpty()) {
            console.note("No lock is held" + (prefix.isEmpty() ? "." : " whose name begins with '" + prefix + "'."));
        } else {
            LockReport.table(states, holdfast.guarantees().fair()).forEach(console::say);
        }
        if (states.size() == limit) {
            console.note("There may be more: this list ends after " + limit + " holders (--limit).");
        }
        return ExitCode.OK;
    }
}

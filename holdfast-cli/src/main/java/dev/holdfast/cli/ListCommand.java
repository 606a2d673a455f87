package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "ls", mixinStandardHelpOptions = true, description = "Lists the locks that are held.")
final class ListCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--json", description = "One JSON array, for programs.")
    private boolean json;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "1000", description = "At most so many. Default: 1000.")
    private int limit = 1000;

    @Parameters(index = "0", paramLabel = "PREFIX", defaultValue = "", description = "Only names that begin so.")
    private String prefix = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        return Sessions.with(store.open(console), holdfast -> list(holdfast, console));
    }

    private int list(Holdfast holdfast, Console console) throws InterruptedException {
        List<LockState> states = holdfast.list(prefix, limit);
        if (json) {
            boolean queueIsKnown = holdfast.guarantees().fair();
            console.out()
                    .println(Json.of(states.stream()
                            .map(state -> States.json(state, queueIsKnown))
                            .toList()));
        } else if (states.isEmpty()) {
            console.note("No lock is held" + (prefix.isEmpty() ? "." : " whose name begins with '" + prefix + "'."));
        } else {
            States.table(states, holdfast.guarantees().fair()).forEach(console.out()::println);
        }
        if (states.size() == limit) {
            console.note("There may be more: this list ends after " + limit + " locks (--limit).");
        }
        return ExitCode.OK;
    }
}

package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.LockReport;
import dev.holdfast.dashboard.json.LockJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        description = "Shows who holds a lock and who waits for it.")
final class InspectCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        return StoreSession.with(store.open(console), holdfast -> inspect(holdfast, console));
    }

    private int inspect(Holdfast holdfast, Console console) throws InterruptedException {
        Optional<LockState> state = holdfast.inspect(name);
        if (json) {
            console.json(
                    state.map(held -> LockJson.of(held, holdfast.guarantees().fair()))
                            .orElseGet(this::free));
        } else if (state.isPresent()) {
            LockReport.lines(state.get(), holdfast.guarantees().fair()).forEach(console::say);
        } else {
            console.say("Lock '" + name + "' is free.");
        }
        return ExitCode.OK;
    }

    private Map<String, Object> free() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("held", false);
        return fields;
    }
}

package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
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
        description = "Shows who holds a lock, and who waits for it.")
final class InspectCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        return Sessions.with(store.open(console), holdfast -> inspect(holdfast, console));
    }

    private int inspect(Holdfast holdfast, Console console) throws InterruptedException {
        Optional<LockState> state = holdfast.inspect(name);
        if (json) {
            console.out()
                    .println(Json.of(state.map(held ->
                                    States.json(held, holdfast.guarantees().fair()))
                            .orElseGet(this::free)));
        } else if (state.isPresent()) {
            States.lines(state.get(), holdfast.guarantees().fair()).forEach(console.out()::println);
        } else {
            console.out().println("Lock '" + name + "' is free.");
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

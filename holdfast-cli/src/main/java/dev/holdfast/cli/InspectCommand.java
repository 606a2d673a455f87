package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.LockReport;
import dev.holdfast.dashboard.json.LockJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        description = "Shows who holds a lock, a semaphore or a read-write lock, and who waits for it.")
final class InspectCommand implements Callable<Integer> {
    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private KindOption kind = new KindOption();

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
        LockKey key = kind.key(name);
        boolean queueIsKnown = holdfast.guarantees().fair();
        List<LockState> holders = holdfast.inspect(key);
        if (json) {
            console.json(
                    key.kind() == LockKind.LOCK ? one(key, holders, queueIsKnown) : all(key, holders, queueIsKnown));
        } else if (holders.isEmpty()) {
            console.say(LockReport.capitalized(key) + " is free.");
        } else {
            LockReport.lines(holders, queueIsKnown).forEach(console::say);
        }
        return ExitCode.OK;
    }

    private static Map<String, Object> one(LockKey key, List<LockState> holders, boolean queueIsKnown) {
        return holders.isEmpty() ? head(key, false) : LockJson.of(holders.get(0), queueIsKnown);
    }

    private static Map<String, Object> all(LockKey key, List<LockState> holders, boolean queueIsKnown) {
        Map<String, Object> fields = head(key, !holders.isEmpty());
        fields.put(
                "holders",
                holders.stream().map(each -> LockJson.of(each, queueIsKnown)).toList());
        return fields;
    }

    private static Map<String, Object> head(LockKey key, boolean held) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", key.name());
        fields.put("kind", LockJson.word(key.kind()));
        fields.put("held", held);
        return fields;
    }
}

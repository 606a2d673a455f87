package dev.holdfast.cli;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Guarantees;
import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = "Examines the store: whether it answers, what it promises, what endangers the locks there.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing endangers the locks", "1:something does", "69:the store cannot be used"})
final class DoctorCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin
    private StoreOption store = new StoreOption();

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        Store place = store.open(console);
        Consumer<String> say = line -> console.out().println(Console.plain(line));
        say.accept("store      " + place.label());
        return Sessions.with(place, holdfast -> examine(holdfast, say));
    }

    private static int examine(Holdfast holdfast, Consumer<String> say) throws InterruptedException {
        promises(holdfast.guarantees(), say);
        Health health = holdfast.health(PATIENCE);
        say.accept("reachable  "
                + (health.reachable() ? "yes, in " + Spans.text(health.roundTrip()) : "NO: " + health.detail()));
        if (!health.reachable()) {
            return ExitCode.UNAVAILABLE;
        }
        probe(holdfast, say);
        return findings(holdfast.diagnose(), say);
    }

    private static void promises(Guarantees promised, Consumer<String> say) {
        say.accept("exclusion  survives " + promised.exclusion());
        say.accept("token      " + promised.tokenSource());
        say.accept("waiters    "
                + switch (promised.waking()) {
                    case HAND_OVER -> "are given the lock by the store";
                    case HINT -> "are told by the store when to ask";
                    case POLL -> "ask now and then";
                }
                + (promised.fair() ? ", in order" : ", in no order"));
    }

    /** Every right that a lock needs, used once on a name that nobody else has. */
    private static void probe(Holdfast holdfast, Consumer<String> say) throws InterruptedException {
        String name = "holdfast-doctor-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
        Lease lease = holdfast.lock(name)
                .withLease(Duration.ofSeconds(5))
                .describedAs("holdfast doctor")
                .acquire(PATIENCE);
        Optional<LockState> seen = holdfast.inspect(name);
        lease.close();
        boolean gone = holdfast.inspect(name).isEmpty();
        say.accept("probe      a lock was taken (token " + lease.token() + "), "
                + (seen.isPresent() ? "seen" : "NOT SEEN") + " and " + (gone ? "released" : "NOT RELEASED"));
    }

    private static int findings(List<Finding> findings, Consumer<String> say) {
        boolean danger = false;
        for (Finding finding : findings) {
            danger |= finding.severity() == Severity.DANGER;
            String severity = finding.severity() == Severity.NOTE
                    ? "note"
                    : finding.severity().name().toUpperCase(Locale.ROOT);
            say.accept(String.format(Locale.ROOT, "%-10s %s", severity, finding.what()));
            if (!finding.remedy().isEmpty()) {
                say.accept("           → " + finding.remedy());
            }
        }
        boolean warned = findings.stream().anyMatch(finding -> finding.severity() == Severity.WARNING);
        say.accept("verdict    "
                + (danger
                        ? "something endangers the locks here"
                        : warned ? "usable now; mind the warnings above" : "nothing endangers the locks here"));
        return danger ? ExitCode.NO : ExitCode.OK;
    }
}

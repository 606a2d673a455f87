package dev.holdfast.cli;

import dev.holdfast.Acquirable;
import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.cli.connect.Store;
import dev.holdfast.cli.connect.StoreOption;
import dev.holdfast.cli.connect.StoreSession;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.dashboard.json.LockJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = "Checks the store: whether it answers, what it guarantees, and what endangers the locks there.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no problem was found; there may be notes",
            "1:there is a problem now (DANGER), or there may be one later (WARNING)",
            "69:the store cannot be used"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin
    private StoreOption store = new StoreOption();

    @Override
    public Integer call() throws InterruptedException {
        Console console = Console.system();
        Store place = store.open(console);
        Consumer<String> say = console::say;
        say.accept("store      " + place.label());
        return StoreSession.with(place, holdfast -> examine(holdfast, say));
    }

    private static int examine(Holdfast holdfast, Consumer<String> say) throws InterruptedException {
        promises(holdfast.guarantees(), say);
        Health health = holdfast.health(PATIENCE);
        say.accept("reachable  "
                + (health.reachable() ? "yes, in " + Durations.text(health.roundTrip()) : "NO: " + health.detail()));
        if (!health.reachable()) {
            return ExitCode.UNAVAILABLE;
        }
        try {
            probe(LockKind.LOCK, holdfast, say);
        } catch (LockUnavailableException notTaken) {
            // What is found may be the reason.
            say.accept("probe      NO lock could be taken");
            sayAll(holdfast.diagnose(), say);
            say.accept("verdict    no lock can be taken here now");
            throw notTaken;
        }
        List<Finding> findings = new ArrayList<>(holdfast.diagnose());
        for (LockKind kind : List.of(LockKind.SEMAPHORE, LockKind.READ_WRITE_LOCK)) {
            if (holdfast.guarantees().offers(kind)) {
                probeIfPossible(kind, holdfast, say).ifPresent(findings::add);
            }
        }
        return verdict(findings, say);
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
        say.accept("kinds      locks" + kind(promised, LockKind.SEMAPHORE) + kind(promised, LockKind.READ_WRITE_LOCK));
    }

    private static String kind(Guarantees promised, LockKind kind) {
        return promised.offers(kind) ? ", " + kind + "s" : ", no " + kind + "s (" + promised.refusal(kind) + ")";
    }

    /** Those who use only locks are well served by a store whose rights end there. */
    private static Optional<Finding> probeIfPossible(LockKind kind, Holdfast holdfast, Consumer<String> say)
            throws InterruptedException {
        try {
            probe(kind, holdfast, say);
            return Optional.empty();
        } catch (LockUnavailableException notTaken) {
            String what = "No " + kind + " could be taken: " + notTaken.getMessage();
            return Optional.of(new Finding(
                    "probe." + LockJson.word(kind),
                    Severity.WARNING,
                    what,
                    "If " + kind + "s are used here: give this user the rights that the page of the store names."));
        }
    }

    /** Every right that a lock needs, used once on a name that nobody else has. */
    private static void probe(LockKind kind, Holdfast holdfast, Consumer<String> say) throws InterruptedException {
        String name = "holdfast-doctor-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
        LockKey key = new LockKey(kind, name);
        Acquirable<?> probed = switch (kind) {
            case LOCK -> holdfast.lock(name);
            case SEMAPHORE -> holdfast.semaphore(name, 1);
            case READ_WRITE_LOCK -> holdfast.readWriteLock(name).write();
        };
        Lease lease = probed.withLease(Duration.ofSeconds(5))
                .describedAs("holdfast doctor")
                .acquire(PATIENCE);
        boolean seen = !holdfast.inspect(key).isEmpty();
        lease.close();
        boolean gone = holdfast.inspect(key).isEmpty();
        say.accept("probe      a " + kind + " was taken (token " + lease.token() + "), " + (seen ? "seen" : "NOT SEEN")
                + " and " + (gone ? "released" : "NOT RELEASED"));
    }

    private static void sayAll(List<Finding> findings, Consumer<String> say) {
        long servers = findings.stream()
                .filter(finding -> finding.code().equals("redis.server"))
                .count();
        Set<Finding> said = new HashSet<>();
        for (Finding finding : findings) {
            // What a cluster has at each of its servers is said once. What only some have stands below the server it is
            // about.
            boolean everywhere = servers > 1 && Collections.frequency(findings, finding) == servers;
            if (said.add(finding) || !everywhere) {
                finding(finding, everywhere ? "All " + servers + " servers: " : "", say);
            }
        }
    }

    private static int verdict(List<Finding> findings, Consumer<String> say) {
        sayAll(findings, say);
        boolean danger = has(findings, Severity.DANGER);
        boolean warned = has(findings, Severity.WARNING);
        say.accept("verdict    "
                + (danger
                        ? "something endangers the locks here"
                        : warned ? "usable now; mind the warnings above" : "nothing endangers the locks here"));
        return danger || warned ? ExitCode.NO : ExitCode.OK;
    }

    private static void finding(Finding finding, String where, Consumer<String> say) {
        String severity = finding.severity() == Severity.NOTE
                ? "note"
                : finding.severity().name().toUpperCase(Locale.ROOT);
        say.accept(String.format(Locale.ROOT, "%-10s %s%s [%s]", severity, where, finding.what(), finding.code()));
        if (!finding.remedy().isEmpty()) {
            say.accept("           → " + finding.remedy());
        }
    }

    private static boolean has(List<Finding> findings, Severity severity) {
        return findings.stream().anyMatch(finding -> finding.severity() == severity);
    }
}

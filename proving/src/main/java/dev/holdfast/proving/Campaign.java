package dev.holdfast.proving;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.check.Checker;
import dev.holdfast.proving.check.History;
import dev.holdfast.proving.check.Limits;
import dev.holdfast.proving.check.Verdict;
import dev.holdfast.proving.ground.Ground;
import dev.holdfast.proving.log.LogReader;
import dev.holdfast.proving.report.Outcome;
import dev.holdfast.proving.report.Results;
import dev.holdfast.proving.report.Table;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.schedule.Schedule;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Plays the trials of a schedule, store by store. Each trial leaves its logs and a mark that it is complete; a trial that has the mark is
 * judged again and not played again.
 */
public final class Campaign {
    private static final String DONE = "done";
    private static final String VERSIONS = "versions";
    private static final int TRIES = 3;

    private final Machine machine;
    private final List<Subject> subjects;
    private final Duration lease;
    private final Path folder;
    private final PrintStream out;
    private final Results results = new Results();
    private final List<Load> loads = new ArrayList<>();
    private final Set<String> versions = new LinkedHashSet<>();

    public Campaign(Machine machine, List<Subject> subjects, Duration lease, Path folder, PrintStream out)
            throws IOException {
        this.machine = machine;
        this.subjects = List.copyOf(subjects);
        this.lease = lease;
        this.folder = folder;
        this.out = out;
        if (Files.exists(folder.resolve(VERSIONS))) {
            versions.addAll(Files.readAllLines(folder.resolve(VERSIONS)));
        }
    }

    public Results results() {
        return results;
    }

    /** Of the machine, during each trial. */
    List<Load> loads() {
        return List.copyOf(loads);
    }

    /** Of the servers. */
    List<String> versions() {
        return List.copyOf(versions);
    }

    /** Plays what is planned; a store that does not start is noted and left out. */
    public void play(List<PlannedTrial> planned) throws InterruptedException {
        List<Store> stores =
                planned.stream().map(PlannedTrial::store).distinct().toList();
        for (Store store : stores) {
            try {
                play(
                        store,
                        planned.stream().filter(each -> each.store() == store).toList());
            } catch (IOException | java.sql.SQLException | RuntimeException e) {
                note(store.title() + " was not played to the end: " + e);
            }
        }
    }

    /** Rounds of all faults with new seeds, until the time is over. */
    public void soak(Duration time, Options options) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        for (int round = 1; System.nanoTime() - deadline < 0; round++) {
            for (Store store : options.stores()) {
                if (System.nanoTime() - deadline < 0) {
                    play(Schedule.of(List.of(store), options.faults(), 1, options.seed() + round));
                }
            }
        }
    }

    private void note(String note) {
        out.println("Note: " + note);
        results.note(note);
    }

    private List<Subject> on(Store store) {
        return subjects.stream().filter(each -> each.store() == store).toList();
    }

    private void play(Store store, List<PlannedTrial> planned)
            throws IOException, InterruptedException, java.sql.SQLException {
        List<PlannedTrial> missing = new ArrayList<>();
        for (PlannedTrial trial : planned) {
            if (Files.exists(folder(trial).resolve(DONE))) {
                judge(trial);
            } else if (trial.fault().needsShim() && !machine.clock().isUsable()) {
                note(trial.fault().name() + " was not played: "
                        + machine.clock().whyNot());
            } else {
                missing.add(trial);
            }
        }
        for (int tries = 1; !missing.isEmpty(); tries++) {
            try {
                playOnNewGround(store, missing);
            } catch (IOException | java.sql.SQLException | RuntimeException e) {
                // Something of ours went wrong, and no subject is to blame: on new servers the rest may go well.
                if (tries == TRIES) {
                    throw e;
                }
                out.println("Starting again: " + e);
            }
        }
    }

    /** Takes from the list what has been played. */
    private void playOnNewGround(Store store, List<PlannedTrial> missing)
            throws IOException, InterruptedException, java.sql.SQLException {
        out.println(store.title() + ": starting servers and " + on(store).size() + " × 3 clients…");
        try (Ground ground = new Ground(machine, store, on(store), lease)) {
            while (!missing.isEmpty()) {
                PlannedTrial trial = missing.get(0);
                out.println(trial.id() + " (seed " + trial.seed() + "): "
                        + trial.fault().title());
                play(ground, trial);
                judge(trial);
                missing.remove(0);
            }
        }
    }

    private Path folder(PlannedTrial trial) {
        return folder.resolve(trial.id() + "-" + Long.toHexString(trial.seed()));
    }

    private void play(Ground ground, PlannedTrial trial) throws IOException, InterruptedException {
        Path place = folder(trial);
        if (Files.exists(place)) {
            // Of a run that was interrupted.
            try (Stream<Path> files = Files.walk(place)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(place);
        Load.Meter meter = new Load.Meter();
        new Trial(ground, trial, place).run();
        Files.writeString(place.resolve(DONE), meter.measured().toLine());
        versions.add(ground.servers().version());
        Files.write(folder.resolve(VERSIONS), versions);
    }

    private void judge(PlannedTrial trial) throws IOException {
        loads.add(Load.parse(Files.readString(folder(trial).resolve(DONE))));
        for (Subject subject : on(trial.store())) {
            Path logs = folder(trial).resolve(subject.id());
            if (Files.isDirectory(logs)) {
                History history = new History(LogReader.readFolder(logs));
                Limits limits = new Limits(lease, subject.freeAfter(lease));
                Verdict verdict = Checker.check(history, limits);
                Outcome outcome = new Outcome(
                        subject,
                        trial,
                        history.forPictures(!verdict.violations().isEmpty()),
                        verdict);
                results.add(outcome);
                out.println(Table.line(outcome));
            }
        }
    }
}

package dev.holdfast.proving;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.check.Checker;
import dev.holdfast.proving.check.History;
import dev.holdfast.proving.check.Limits;
import dev.holdfast.proving.check.Verdict;
import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.ground.Contestant;
import dev.holdfast.proving.ground.Ground;
import dev.holdfast.proving.log.LogReader;
import dev.holdfast.proving.machine.DiskLauncher;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Plays the trials of a schedule, store by store, some stores side by side. Each trial leaves its logs and a mark that it is complete; a
 * trial that has the mark is judged again and not played again.
 */
public final class Campaign {
    private static final String DONE = "done";
    private static final String VERSIONS = "versions";
    private static final int TRIES = 3;

    private final Machine machine;
    private final DiskLauncher disks;
    private final List<Subject> subjects;
    private final Duration lease;
    private final int lanes;
    private final Path folder;
    private final PrintStream out;
    /** Guards what lanes have found, and their output. */
    private final ReentrantLock finding = new ReentrantLock();
    /** One store starts at a time: that is when the machine is busiest. */
    private final ReentrantLock starting = new ReentrantLock();

    private final Results results = new Results();
    private final List<Load> loads = new ArrayList<>();
    private final Set<String> versions = new LinkedHashSet<>();

    /**
     * Blocks while it looks whether disks can be slowed here, for about a second.
     *
     * @param lanes how many stores are played side by side
     */
    public Campaign(Machine machine, List<Subject> subjects, Duration lease, int lanes, Path folder, PrintStream out)
            throws IOException, InterruptedException {
        this.machine = machine;
        this.disks = DiskLauncher.prepare(machine);
        this.subjects = List.copyOf(subjects);
        this.lease = lease;
        this.lanes = lanes;
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

    /** Plays what is planned; a store that does not start is noted and left out. Blocks until everything was played. */
    public void play(List<PlannedTrial> planned) throws InterruptedException {
        play(planned, trial -> false);
    }

    /** The same, but of the rounds of a fault only as many as can still change what most of them show. */
    public void playUntilDecided(List<PlannedTrial> planned) throws InterruptedException {
        play(planned, trial -> {
            long rounds =
                    planned.stream().filter(each -> each.seed() == trial.seed()).count();
            return isDecided(trial, rounds);
        });
    }

    private boolean isDecided(PlannedTrial trial, long rounds) {
        finding.lock();
        try {
            return results.isDecided(trial, rounds);
        } finally {
            finding.unlock();
        }
    }

    private void play(List<PlannedTrial> planned, Predicate<PlannedTrial> isDecided) throws InterruptedException {
        List<Store> stores =
                planned.stream().map(PlannedTrial::store).distinct().toList();
        Lanes.run(lanes, stores, store -> {
            playOrNote(
                    store,
                    planned.stream().filter(each -> each.store() == store).toList(),
                    isDecided,
                    () -> false);
            return false;
        });
    }

    /** Rounds of all faults with new seeds, until the time is over. */
    void soak(Duration time, Options options) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        Map<Store, Integer> rounds = new ConcurrentHashMap<>();
        Lanes.run(lanes, options.stores(), store -> {
            int round = rounds.merge(store, 1, Integer::sum);
            playOrNote(
                    store,
                    Schedule.of(List.of(store), options.faults(), 1, options.seed() + round),
                    trial -> false,
                    () -> System.nanoTime() - deadline >= 0);
            return System.nanoTime() - deadline < 0;
        });
    }

    private void playOrNote(
            Store store, List<PlannedTrial> planned, Predicate<PlannedTrial> isDecided, BooleanSupplier isOver)
            throws InterruptedException {
        try {
            play(store, planned, isDecided, isOver);
        } catch (IOException | java.sql.SQLException | RuntimeException e) {
            note(store.title() + " was not played to the end: " + e);
        }
    }

    private void note(String note) {
        finding.lock();
        try {
            // Each round of a fault that cannot be played has the same to say.
            if (!results.notes().contains(note)) {
                out.println("Note: " + note);
                results.note(note);
            }
        } finally {
            finding.unlock();
        }
    }

    /** Why this machine cannot play the fault; empty if it can. */
    private Optional<String> whyNot(Fault fault) {
        String why = switch (fault.needs()) {
            case NOTHING -> "";
            case CLOCK -> machine.clock().whyNot();
            case DISK -> disks.whyNot();
        };
        return why.isEmpty() ? Optional.empty() : Optional.of(why);
    }

    private List<Subject> on(Store store) {
        return subjects.stream().filter(each -> each.store() == store).toList();
    }

    private void play(
            Store store, List<PlannedTrial> planned, Predicate<PlannedTrial> isDecided, BooleanSupplier isOver)
            throws IOException, InterruptedException, java.sql.SQLException {
        List<PlannedTrial> missing = new ArrayList<>();
        int before = 0;
        for (PlannedTrial trial : planned) {
            if (isPlayed(trial)) {
                judge(trial);
                before++;
            } else if (whyNot(trial.fault()).isPresent()) {
                note(trial.fault().name() + " was not played: "
                        + whyNot(trial.fault()).get());
            } else {
                missing.add(trial);
            }
        }
        if (before > 0) {
            say(store.title() + ": " + before
                    + " trials were played before and are not played again. To play them again, remove " + folder);
        }
        missing.removeIf(isDecided);
        for (int tries = 1; !missing.isEmpty() && !isOver.getAsBoolean(); tries++) {
            try {
                playOnNewGround(store, missing, isDecided, isOver);
            } catch (IOException | java.sql.SQLException | RuntimeException e) {
                // Something of ours went wrong, and no subject is to blame: on new servers the rest may go well.
                if (tries == TRIES) {
                    throw e;
                }
                say(store.title() + ": starting again after " + e);
            }
        }
    }

    /** Takes from the list what has been played, and what need not be. */
    private void playOnNewGround(
            Store store, List<PlannedTrial> missing, Predicate<PlannedTrial> isDecided, BooleanSupplier isOver)
            throws IOException, InterruptedException, java.sql.SQLException {
        try (Ground ground = start(store)) {
            warmUp(ground);
            while (!missing.isEmpty() && !isOver.getAsBoolean()) {
                PlannedTrial trial = missing.get(0);
                say(trial.id() + " (seed " + trial.seed() + "): "
                        + trial.fault().title());
                play(ground, trial);
                judge(trial);
                missing.remove(0);
                missing.removeIf(isDecided);
            }
        }
    }

    private Ground start(Store store) throws IOException, InterruptedException, java.sql.SQLException {
        starting.lockInterruptibly();
        try {
            say(store.title() + ": starting servers and " + on(store).size() + " × " + Contestant.CLIENTS
                    + " clients…");
            return new Ground(machine, disks, store, on(store), lease);
        } finally {
            starting.unlock();
        }
    }

    /** Nobody is judged by the first seconds of a JVM. */
    private void warmUp(Ground ground) throws IOException, InterruptedException {
        PlannedTrial first = new PlannedTrial(ground.store(), Faults.nothing(), 0, 0);
        new Trial(ground, first, fault -> true, Files.createTempDirectory(machine.folder(), "warm-up")).run();
    }

    private void say(String line) {
        finding.lock();
        try {
            out.println(line);
        } finally {
            finding.unlock();
        }
    }

    /** Whether there are logs of everybody, to the end. What an interrupted run left is played again. */
    private boolean isPlayed(PlannedTrial trial) {
        try {
            Load unused = Load.parse(Files.readString(folder(trial).resolve(DONE)));
            for (Subject subject : on(trial.store())) {
                if (LogReader.readFolder(folder(trial).resolve(subject.id())).isEmpty()) {
                    return false;
                }
            }
            return true;
        } catch (IOException | RuntimeException damaged) {
            return false;
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
        new Trial(ground, trial, fault -> whyNot(fault).isEmpty(), place).run();
        if (!ground.servers().areRunning()) {
            throw new IOException("A server of " + ground.store().title() + " has died that nobody had killed");
        }
        Files.writeString(place.resolve(DONE), meter.measured().toLine());
        finding.lock();
        try {
            versions.add(ground.servers().version());
            Files.write(folder.resolve(VERSIONS), versions);
        } finally {
            finding.unlock();
        }
    }

    private void judge(PlannedTrial trial) throws IOException {
        List<Outcome> outcomes = new ArrayList<>();
        for (Subject subject : on(trial.store())) {
            Path logs = folder(trial).resolve(subject.id());
            if (Files.isDirectory(logs)) {
                History history = new History(LogReader.readFolder(logs));
                Verdict verdict = Checker.check(history, new Limits(lease, subject.freeAfter(lease)));
                outcomes.add(new Outcome(
                        subject,
                        trial,
                        history.forPictures(!verdict.violations().isEmpty()),
                        verdict));
            }
        }
        Load load = Load.parse(Files.readString(folder(trial).resolve(DONE)));
        finding.lock();
        try {
            loads.add(load);
            out.println(trial.id() + ":");
            for (Outcome outcome : outcomes) {
                results.add(outcome);
                out.println(Table.line(outcome));
            }
        } finally {
            finding.unlock();
        }
    }
}

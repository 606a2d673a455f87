package dev.holdfast.proving;

import dev.holdfast.proving.check.Limits;
import dev.holdfast.proving.fault.Episode;
import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.fault.Scene;
import dev.holdfast.proving.ground.Contestant;
import dev.holdfast.proving.ground.Ground;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.machine.StallWatch;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.subject.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One fault on one store, for all subjects at once: everybody works, one client of each subject is asked to hold the lock for long, the fault
 * comes and goes, everybody works on, stops, and somebody looks whether the lock is free.
 */
final class Trial {
    private static final long WARM_UP_MILLIS = 700;
    private static final long HOLDING_MILLIS = 4_000;
    private static final long LONGER_MILLIS = 800;

    private final Ground ground;
    private final PlannedTrial plan;
    private final Predicate<Fault> playable;
    private final Path folder;
    private final Random random;

    /** @param playable which faults a mixture may have on this machine */
    Trial(Ground ground, PlannedTrial plan, Predicate<Fault> playable, Path folder) {
        this.ground = ground;
        this.plan = plan;
        this.playable = playable;
        this.folder = folder;
        this.random = new Random(plan.seed());
    }

    /** Blocks until everybody has stopped. */
    void run() throws IOException, InterruptedException {
        for (Contestant contestant : ground.contestants()) {
            // Of its own: what a subject does must not depend on who else takes part.
            Random its = new Random(plan.seed() * 31 + contestant.subject().id().hashCode());
            contestant.begin(plan.id(), folder, its, its.nextInt(Contestant.CLIENTS));
        }
        StallWatch stalls = new StallWatch(this::stalled);
        try {
            Thread.sleep(WARM_UP_MILLIS + random.nextInt(300));
            playEpisodes(Scene.of(ground, random));
            Thread.sleep(watchMillis(
                    ground.contestants().stream().map(Contestant::subject).toList(), ground.lease()));
            ground.contestants().forEach(Contestant::orderStop);
            for (Contestant contestant : ground.contestants()) {
                contestant.end();
            }
        } finally {
            stalls.close();
        }
    }

    /** Long enough for whoever may wait longest until the lock of a dead process is free, and for the verdict that nobody came. */
    static long watchMillis(List<Subject> subjects, Duration lease) {
        return subjects.stream()
                        .map(each -> new Limits(lease, each.freeAfter(lease)).freeNanos())
                        .mapToLong(TimeUnit.NANOSECONDS::toMillis)
                        .max()
                        .orElse(0)
                + LONGER_MILLIS;
    }

    private void stalled(long from, long to) {
        ground.contestants().forEach(each -> each.noteStall(from, to));
    }

    private void playEpisodes(Scene scene) throws IOException, InterruptedException {
        List<Episode> episodes = Episode.of(plan.fault(), plan.store(), playable, random);
        for (int i = 0; i < episodes.size(); i++) {
            if (i > 0) {
                scene.chooseHolders();
            }
            play(episodes.get(i), scene);
        }
    }

    private void play(Episode episode, Scene scene) throws IOException, InterruptedException {
        for (Fault fault : episode.faults()) {
            if (fault.isPrepared()) {
                note(Kind.BREAKING, fault);
                fault.prepare().run(scene);
            }
        }
        takeLocks();
        Thread.sleep(random.nextInt(200));
        for (Fault fault : episode.faults()) {
            if (!fault.isPrepared()) {
                note(Kind.BREAKING, fault);
            }
            fault.begin().run(scene);
            for (Contestant contestant : ground.contestants()) {
                contestant.note(Kind.FAULT, "name", fault.name(), "unreachable", unreachable(fault, contestant));
            }
        }
        long lease = ground.lease().toMillis();
        Thread.sleep(episode.lasts() ? lease * 3 / 2 + random.nextInt((int) lease / 4) : random.nextInt(200));
        for (Fault fault : episode.faults()) {
            note(Kind.HEALED, fault);
        }
        for (Fault fault : episode.inOrderOfMending()) {
            mend(fault, scene);
        }
    }

    private void mend(Fault fault, Scene scene) throws IOException, InterruptedException {
        // The store and the way to it are whole when a client's turn comes: the others need not wait until it is there.
        boolean first = fault.where() == Fault.Where.CLIENTS;
        // A clock that was moved stays ahead.
        boolean over = fault.needs() != Fault.Needs.CLOCK;
        if (over && first) {
            note(Kind.MENDED, fault);
        }
        fault.end().run(scene);
        if (over && !first) {
            note(Kind.MENDED, fault);
        }
    }

    private void note(Kind kind, Fault fault) {
        ground.contestants().forEach(each -> each.note(kind, "name", fault.name()));
    }

    /** Libraries that do not renew hold for a part of the lease, so nobody is waited for longer than the first of them can hold. */
    private void takeLocks() throws InterruptedException {
        ground.contestants().forEach(Contestant::orderHold);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HOLDING_MILLIS);
        for (Contestant contestant : ground.contestants()) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            boolean holding = contestant.awaitHolding(Math.max(0, left));
            if (holding && !contestant.subject().renews()) {
                deadline = Math.min(deadline, System.nanoTime() + ground.lease().toNanos() / 5);
            }
        }
    }

    private static @Nullable String unreachable(Fault fault, Contestant contestant) {
        return switch (fault.unreachable()) {
            case NOBODY -> null;
            case HOLDER -> contestant.id(contestant.holder());
            case ALL -> "all";
        };
    }
}

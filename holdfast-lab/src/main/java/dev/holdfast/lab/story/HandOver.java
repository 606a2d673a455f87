package dev.holdfast.lab.story;

import static dev.holdfast.lab.story.Scene.A;
import static dev.holdfast.lab.story.Scene.B;
import static dev.holdfast.lab.story.Scene.C;

import dev.holdfast.lab.stage.LaneView;
import dev.holdfast.lab.stage.LaneView.State;
import dev.holdfast.lab.wire.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Three clients, one after the other. */
final class HandOver implements Story {
    private static final long DEPOSIT = 10;
    private static final double NANOS_PER_MILLI = 1e6;

    @Override
    public String id() {
        return "hand-over";
    }

    @Override
    public String title() {
        return "Hand-over";
    }

    @Override
    public String about() {
        return "Three clients want the lock. Each gets it once, with a larger token than the one before.";
    }

    @Override
    public void play(Scene scene) throws IOException, InterruptedException, StoryFailedException {
        Duration lease = scene.lease(Duration.ofSeconds(30), 4);
        scene.stage.reset(lease, Scene.everybody());
        scene.tell("Client A takes the lock. Each server that says yes gives a vote; three of five are enough.");
        scene.take(A, lease, true);
        scene.tell("B and C want it too. They find it taken and wait.");
        scene.ask(B, lease, true);
        scene.ask(C, lease, true);
        scene.awaitWaiting(B);
        scene.awaitWaiting(C);
        scene.tell(
                "A deposits 10 and releases. The next one has the lock at once, reads the balance and goes on from there.");
        for (Lane lane : scene.lanes) {
            passOn(scene, lane);
        }
        scene.tell("Everybody has had the lock once, and every deposit is in the account.");
        for (Lane lane : scene.lanes) {
            scene.settle(lane, true);
        }
    }

    private static void passOn(Scene scene, Lane lane) throws IOException, InterruptedException, StoryFailedException {
        List<Integer> waiting = new ArrayList<>(List.of(B, C));
        List<Double> millis = new ArrayList<>();
        int holder = A;
        while (true) {
            scene.deposit(holder, lane, DEPOSIT);
            if (waiting.isEmpty()) {
                break;
            }
            int next = awaitNext(scene, lane, waiting);
            waiting.remove(Integer.valueOf(next));
            LaneView before = scene.view(holder, lane);
            LaneView after = scene.view(next, lane);
            scene.require(
                    lane == Lane.PLAIN || scene.board.read(() -> after.token > before.token),
                    "A token did not grow from one holder to the next.");
            millis.add(scene.board.read(() -> (at(after, "holding") - at(before, "releasing")) / NANOS_PER_MILLI));
            holder = next;
        }
        String times = String.format(
                Locale.ROOT, "From release to the next holder: %.1f and %.1f ms.", millis.get(0), millis.get(1));
        scene.fact(
                lane,
                false,
                times
                        + (lane == Lane.PLAIN
                                ? " Waiters ask again and again."
                                : " The next one is told that it is its turn."));
        scene.fact(lane, false, lane == Lane.PLAIN ? "There is no token." : "The token grew with every holder.");
    }

    private static int awaitNext(Scene scene, Lane lane, List<Integer> waiting)
            throws InterruptedException, StoryFailedException {
        scene.await(
                "somebody gets the " + Scene.words(lane) + " next",
                () -> waiting.stream().anyMatch(client -> scene.view(client, lane).state == State.HOLDING));
        return scene.board.read(() -> waiting.stream()
                .filter(client -> scene.view(client, lane).state == State.HOLDING)
                .findFirst()
                .orElseThrow());
    }

    private static long at(LaneView view, String what) {
        return Objects.requireNonNull(view.latest(what)).number("at");
    }
}

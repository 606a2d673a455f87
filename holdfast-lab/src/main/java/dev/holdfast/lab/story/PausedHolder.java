package dev.holdfast.lab.story;

import static dev.holdfast.lab.story.Scene.A;
import static dev.holdfast.lab.story.Scene.B;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.io.IOException;
import java.time.Duration;

/** A holder stands still for longer than its lease, wakes, and writes. */
final class PausedHolder implements Story {
    @Override
    public String id() {
        return "paused-holder";
    }

    @Override
    public String title() {
        return "The paused holder";
    }

    @Override
    public String about() {
        return "A holder stands still past its lease, wakes up and writes. No lock can stop that write; the account can.";
    }

    @Override
    public void play(Scene scene) throws IOException, InterruptedException, StoryFailedException {
        Duration lease = Duration.ofSeconds(4);
        scene.stage.reset(lease, Scene.everybody());
        scene.tell("Client A holds the lock, reads the balance, and looks at its lease: it is valid.");
        scene.take(A, lease, true);
        scene.read(A);
        scene.stage.freezeClient(A);
        scene.tell(
                "At this moment A is frozen: a long pause for garbage collection, a laptop that is closed, a machine that swaps.");
        scene.ask(B, lease, true);
        scene.tell("B waits. Nobody renews A's lease, so it runs out at the servers, and B gets the lock.");
        scene.awaitHolding(B);
        for (Lane lane : scene.lanes) {
            scene.deposit(B, lane, 20);
        }
        scene.tell(
                scene.isGuarded()
                        ? "B has deposited 20. A wakes up and does what it was about to do. Its token is older than B's: refused."
                        : "B has deposited 20. A wakes up and does what it was about to do. The guard is off: nobody refuses it.");
        for (Lane lane : scene.lanes) {
            // It finds the order as soon as it runs: its next step, with no time for a look at the clock.
            scene.stage.send(A, Message.of("write", "lane", lane.id(), "deposit", 10));
        }
        scene.stage.thawClient(A);
        for (Lane lane : scene.lanes) {
            scene.await(
                    "A has written under the " + Scene.words(lane),
                    () -> scene.view(A, lane).count("wrote")
                                    + scene.view(A, lane).count("refused")
                            > 0);
            Endings.staleWrite(scene, A, lane);
        }
    }
}

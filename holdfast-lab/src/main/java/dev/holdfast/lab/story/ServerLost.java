package dev.holdfast.lab.story;

import static dev.holdfast.lab.story.Scene.A;
import static dev.holdfast.lab.story.Scene.B;

import dev.holdfast.lab.stage.LaneView;
import dev.holdfast.lab.wire.Lane;
import java.io.IOException;
import java.time.Duration;

/** Two of five servers fail in two different ways. */
final class ServerLost implements Story {
    private static final int FOURTH = 3;
    private static final int FIFTH = 4;

    @Override
    public String id() {
        return "server-lost";
    }

    @Override
    public String title() {
        return "A server lost, and another one";
    }

    @Override
    public String about() {
        return "One server dies, one hangs. Three of five are left, and that is enough.";
    }

    @Override
    public void play(Scene scene) throws IOException, InterruptedException, StoryFailedException {
        Duration lease = scene.lease(Duration.ofSeconds(12), 5);
        scene.stage.reset(lease, Scene.everybody());
        scene.tell("Client A holds the lock, with the votes of all servers.");
        scene.take(A, lease, true);
        LaneView holder = scene.view(A, Lane.HOLDFAST);
        scene.tell("Server 5 is killed. Server 4 is frozen: it keeps its connections and answers nothing.");
        scene.stage.servers().kill(FIFTH);
        scene.stage.servers().freeze(FOURTH);
        int renewals = scene.board.read(() -> holder.count("renewed"));
        scene.tell("A goes on. Its lease is renewed by the three servers that are left.");
        scene.await("A's lease is renewed", () -> holder.count("renewed") > renewals);
        scene.tell("B asks and waits; A deposits 10 and releases; B gets the lock with three votes.");
        scene.ask(B, lease, true);
        for (Lane lane : scene.lanes) {
            scene.deposit(A, lane, 10);
        }
        scene.awaitHolding(B);
        for (Lane lane : scene.lanes) {
            int votes = scene.board.read(() -> scene.view(B, lane).votes);
            scene.require(votes == 3, "B has the " + Scene.words(lane) + " with " + votes + " votes instead of 3.");
            scene.deposit(B, lane, 20);
            scene.fact(lane, false, "B has the lock with 3 of 5 votes.");
            scene.settle(lane, true);
        }
        if (scene.lanes.contains(Lane.PLAIN)) {
            scene.fact(Lane.PLAIN, false, "A lock on one server would have gone with that server.");
        }
    }
}

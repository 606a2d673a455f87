package dev.holdfast.lab.story;

import static dev.holdfast.lab.story.Scene.A;
import static dev.holdfast.lab.story.Scene.B;
import static dev.holdfast.lab.story.Scene.C;

import dev.holdfast.lab.stage.LaneView.State;
import dev.holdfast.lab.wire.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** 1-2-3 and 3-4-5: two majorities share a server, and its clock runs fast. */
final class FastClock implements Story {
    private static final int SHARED = 2;

    @Override
    public String id() {
        return "fast-clock";
    }

    @Override
    public String title() {
        return "1-2-3 and 3-4-5";
    }

    @Override
    public String about() {
        return "The clock of one server runs fast, and two clients hold the lock at once. The tokens tell them apart.";
    }

    @Override
    public void play(Scene scene) throws IOException, InterruptedException, StoryFailedException {
        // Nobody waits for its end: it is what both believe to have.
        Duration lease = scene.lease(Duration.ofSeconds(60), 8);
        scene.stage.reset(lease, List.of(A, C));
        scene.stage.links().cut(A, 3);
        scene.stage.links().cut(A, 4);
        scene.tell("Client A reaches servers 1, 2 and 3. It takes the lock with their votes and reads the balance.");
        scene.take(A, lease, false);
        scene.read(A);
        endVoteOfSharedServer(scene);
        scene.stage.links().cut(B, 0);
        scene.stage.links().cut(B, 1);
        scene.tell("Client B has just started. It reaches 3, 4 and 5, and gets the votes of all three.");
        scene.stage.connect(B, lease);
        scene.take(B, lease, false);
        requireTwoHolders(scene);
        scene.tell("Both believe that they hold the lock, and nobody did anything wrong. B deposits 20.");
        for (Lane lane : scene.lanes) {
            scene.read(B, lane);
            scene.write(B, lane, 20);
        }
        scene.tell(
                scene.isGuarded()
                        ? "A writes what it read, plus 10. The account has seen B's token, which is larger, and refuses A's."
                        : "A writes what it read, plus 10. The guard is off, so nobody compares the tokens.");
        for (Lane lane : scene.lanes) {
            scene.write(A, lane, 10);
            Endings.staleWrite(scene, A, lane);
        }
    }

    private static void endVoteOfSharedServer(Scene scene)
            throws IOException, InterruptedException, StoryFailedException {
        String whyNot = scene.stage.whyNoClocks();
        scene.tell(
                whyNot.isEmpty()
                        ? "The clock of server 3 runs fifty times too fast. A's lease is soon over there, and nowhere else."
                        : "The clock of server 3 would run fast now. Clocks cannot be changed here (" + whyNot
                                + "), so the lab ends its votes early, which has the same effect.");
        scene.stage.servers().runClockFast(SHARED);
        for (Lane lane : scene.lanes) {
            scene.await(
                    "server 3 has forgotten the " + Scene.words(lane),
                    () -> !scene.board.servers.get(SHARED).kept.containsKey(lane));
        }
        scene.stage.servers().runClockRight(SHARED);
    }

    private static void requireTwoHolders(Scene scene) throws StoryFailedException {
        for (Lane lane : scene.lanes) {
            boolean two = scene.board.read(
                    () -> scene.view(A, lane).state == State.HOLDING && scene.view(A, lane).leftMillis > 0);
            scene.require(two, "A's lease was over before B had the " + Scene.words(lane) + ".");
            scene.fact(lane, true, "Two clients held it at once.");
        }
        long older = scene.board.read(() -> scene.view(A, Lane.HOLDFAST).token);
        long newer = scene.board.read(() -> scene.view(B, Lane.HOLDFAST).token);
        scene.require(newer > older, "B's token is not larger than A's.");
    }
}

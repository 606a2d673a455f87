package dev.holdfast.lab.story;

import static dev.holdfast.lab.story.Scene.A;
import static dev.holdfast.lab.story.Scene.B;

import dev.holdfast.lab.stage.LaneView;
import dev.holdfast.lab.stage.LaneView.State;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.io.IOException;
import java.time.Duration;

/** A server comes back without its memory while a lock is held with its vote. */
final class RestartedServer implements Story {
    private static final int SHARED = 2;
    private static final long LAST_MOMENT_MILLIS = 1000;

    @Override
    public String id() {
        return "restarted-server";
    }

    @Override
    public String title() {
        return "The restarted server";
    }

    @Override
    public String about() {
        return "A server restarts and has forgotten its vote. It must not give it to somebody else.";
    }

    @Override
    public void play(Scene scene) throws IOException, InterruptedException, StoryFailedException {
        Duration lease = scene.lease(Duration.ofSeconds(12), 4);
        scene.stage.reset(lease, Scene.everybody());
        scene.stage.links().cut(A, 3);
        scene.stage.links().cut(A, 4);
        scene.stage.links().cut(B, 0);
        scene.stage.links().cut(B, 1);
        scene.tell("Client A reaches servers 1, 2 and 3, takes the lock with their votes and reads the balance.");
        scene.take(A, lease, false);
        scene.read(A);
        scene.tell("Server 3 is killed and started again, empty. It knows nothing of A.");
        scene.stage.servers().kill(SHARED);
        scene.stage.servers().revive(SHARED, false);
        scene.tell(
                "Client B reaches 3, 4 and 5, and asks. Does the server that has forgotten give its vote a second time?");
        rivalAsks(scene, lease);
        scene.tell("A writes what it read, plus 10, and releases.");
        for (Lane lane : scene.lanes) {
            scene.write(A, lane, 10);
            scene.release(A, lane);
        }
        if (scene.lanes.contains(Lane.PLAIN)) {
            scene.settle(Lane.PLAIN, false);
        }
        theRivalsTurn(scene, lease);
        scene.tell("Server 3 votes again, once every lease that it may have forgotten is over.");
        scene.await("server 3 votes again", () -> scene.board.servers.get(SHARED).votes);
    }

    /** Holdfast's servers know that one of them may have forgotten; the plain lock's do not. */
    private static void rivalAsks(Scene scene, Duration lease)
            throws IOException, InterruptedException, StoryFailedException {
        if (scene.lanes.contains(Lane.PLAIN)) {
            scene.ask(B, Lane.PLAIN, lease, false, false);
            scene.await("B holds the plain lock", () -> scene.view(B, Lane.PLAIN).state == State.HOLDING);
            scene.require(
                    scene.board.read(() -> scene.view(A, Lane.PLAIN).leftMillis > 0),
                    "A's plain lease was over before B had the lock.");
            scene.fact(Lane.PLAIN, true, "Server 3 gave its vote twice: two clients held it at once.");
            scene.deposit(B, Lane.PLAIN, 20);
        }
        askUntilServerSaysWhy(scene, lease);
        scene.require(
                scene.board.read(() -> scene.view(B, Lane.HOLDFAST).count("holding") == 0),
                "B got the Holdfast lock while A held it.");
        scene.fact(Lane.HOLDFAST, false, "Server 3 does not vote until it is known what it may have forgotten.");
    }

    /** The first answers may only say that B has no connection to the server yet. */
    private static void askUntilServerSaysWhy(Scene scene, Duration lease)
            throws IOException, InterruptedException, StoryFailedException {
        LaneView holder = scene.view(A, Lane.HOLDFAST);
        LaneView rival = scene.view(B, Lane.HOLDFAST);
        boolean saysWhy = false;
        while (!saysWhy
                && scene.board.read(() -> rival.count("holding") == 0 && holder.leftMillis > LAST_MOMENT_MILLIS)) {
            int before = scene.board.read(() -> answers(rival));
            scene.ask(B, Lane.HOLDFAST, lease, false, true);
            scene.await("B has an answer from Holdfast", () -> answers(rival) > before);
            Message answer = scene.board.read(() -> rival.latest("unavailable"));
            saysWhy = answer != null && answer.text("why").contains("does not vote");
        }
    }

    private static int answers(LaneView rival) {
        return rival.count("unavailable") + rival.count("busy") + rival.count("holding");
    }

    private static void theRivalsTurn(Scene scene, Duration lease)
            throws IOException, InterruptedException, StoryFailedException {
        scene.tell("The links are mended. With Holdfast it is B's turn now, after A.");
        scene.stage.links().mend(A, 3);
        scene.stage.links().mend(A, 4);
        scene.stage.links().mend(B, 0);
        scene.stage.links().mend(B, 1);
        LaneView holder = scene.view(A, Lane.HOLDFAST);
        LaneView rival = scene.view(B, Lane.HOLDFAST);
        scene.ask(B, Lane.HOLDFAST, lease, false, false);
        scene.await("B holds the Holdfast lock", () -> rival.state == State.HOLDING);
        scene.require(scene.board.read(() -> rival.token > holder.token), "B's token is not larger than A's.");
        scene.deposit(B, Lane.HOLDFAST, 20);
        scene.settle(Lane.HOLDFAST, true);
    }
}

package dev.holdfast.lab.story;

import dev.holdfast.lab.wire.Lane;
import java.io.IOException;

/** How stories end in which somebody writes too late. */
final class Endings {
    private Endings() {}

    /** Refused where a guard compares tokens; otherwise it overwrites what came between. */
    static void staleWrite(Scene scene, int client, Lane lane) throws IOException, StoryFailedException {
        boolean guarded = lane == Lane.HOLDFAST && scene.isGuarded();
        boolean refused = scene.board.read(() -> scene.view(client, lane).count("refused") > 0);
        scene.require(
                refused == guarded,
                "The late write was " + (refused ? "refused" : "not refused") + " with the " + Scene.words(lane) + ".");
        scene.fact(
                lane,
                !guarded,
                guarded
                        ? "The late write was refused, by its token."
                        : lane == Lane.PLAIN
                                ? "The late write went through: there is no token to refuse it by."
                                : "The late write went through: the guard is off.");
        scene.settle(lane, guarded);
    }
}

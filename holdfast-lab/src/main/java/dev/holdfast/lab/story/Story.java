package dev.holdfast.lab.story;

import java.io.IOException;
import java.util.List;

/** One thing that can happen to a lock, played on real processes. Without state: it can be played again. */
public interface Story {
    /** In the order of the tour. */
    List<Story> ALL =
            List.of(new HandOver(), new ServerLost(), new FastClock(), new PausedHolder(), new RestartedServer());

    /** In addresses and tests. */
    String id();

    String title();

    /** One sentence for who has not seen it yet. */
    String about();

    /**
     * Does what is told, and checks that it ends as told.
     *
     * @throws StoryFailedException if something that must happen does not happen in time
     */
    void play(Scene scene) throws IOException, InterruptedException, StoryFailedException;

    static Story of(String id) {
        return ALL.stream()
                .filter(story -> story.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no story '" + id + "'."));
    }
}

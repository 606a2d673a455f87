package dev.holdfast.lab.story;

import dev.holdfast.lab.stage.Board;
import java.util.ArrayList;
import java.util.List;

/** How far a story is, for the page. Guarded by the {@link Board}; {@link #tell} takes its lock by itself. */
public final class Playing {
    public final Story story;
    /** Tells one playing of a story from the next. */
    public final int number;

    public final boolean withPlain;
    /** What was told so far. */
    public final List<String> sentences = new ArrayList<>();

    public State state = State.PLAYING;
    public List<Fact> facts = List.of();
    /** Why it did not end as told; empty otherwise. */
    public String problem = "";

    private final Board board;

    /** Whether it goes on, and how it ended. */
    public enum State {
        PLAYING,
        AS_TOLD,
        FAILED,
        STOPPED
    }

    Playing(Story story, int number, boolean withPlain, Board board) {
        this.story = story;
        this.number = number;
        this.withPlain = withPlain;
        this.board = board;
    }

    void tell(String sentence) {
        board.change(() -> {
            sentences.add(sentence);
            board.log("story", "story", sentence);
        });
    }

    void end(State how, List<Fact> found, String why) {
        board.change(() -> {
            state = how;
            facts = found;
            problem = why;
            if (how != State.AS_TOLD) {
                board.log("story", "bad", how == State.STOPPED ? "The story was stopped." : why);
            }
        });
    }
}

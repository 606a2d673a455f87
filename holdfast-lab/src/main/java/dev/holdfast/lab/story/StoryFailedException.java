package dev.holdfast.lab.story;

/** A story did not end as told. */
public final class StoryFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    StoryFailedException(String what) {
        super(what);
    }
}

package dev.holdfast.examples.jpa;

import dev.holdfast.GuardMove;
import jakarta.persistence.Embeddable;
import java.time.Instant;

/** The record of one move of an entity's fence, kept beside the entity. */
@Embeddable
public class FenceMove {
    private int fromGeneration;
    private long newest;
    private int toGeneration;
    private String movedBy = "";
    private long movedAtMillis;

    /** For JPA. */
    protected FenceMove() {}

    FenceMove(GuardMove move) {
        fromGeneration = move.fromGeneration();
        newest = move.newest().map(token -> token.value()).orElse(0L);
        toGeneration = move.toGeneration();
        movedBy = move.by();
        movedAtMillis = move.at().toEpochMilli();
    }

    GuardMove recorded() {
        return GuardMove.recorded(fromGeneration, newest, toGeneration, movedBy, Instant.ofEpochMilli(movedAtMillis));
    }
}

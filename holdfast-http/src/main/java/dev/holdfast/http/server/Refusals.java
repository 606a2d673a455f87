package dev.holdfast.http.server;

import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.http.TokenHeader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Recognises that a guard has refused the token of this request, in what the guard or a handler threw. */
final class Refusals {
    /** Causes can form a circle. */
    private static final int MOST_CAUSES = 100;

    private Refusals() {}

    /**
     * Empty if it is anything else. A refusal of another token counts as anything else: a handler can hold locks of its own, and
     * when one of those is lost, the client did nothing wrong.
     */
    static Optional<Problem> of(Throwable thrown, TokenHeader presented) {
        @Nullable Throwable each = thrown;
        for (int i = 0; i < MOST_CAUSES && each != null; i++) {
            if (each instanceof StaleTokenException stale && stale.presented().equals(presented.token())) {
                return Optional.of(Problem.stale(presented));
            }
            if (each instanceof WrongGenerationException wrong
                    && wrong.token().equals(presented.token())
                    && wrong.presented() == presented.generation()) {
                return Optional.of(Problem.wrongGeneration(presented, wrong.current()));
            }
            each = each.getCause();
        }
        return Optional.empty();
    }
}

package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a filter was told: which paths are guarded, under which name, and which tokens are believable.
 *
 * @param guard where the filter announces tokens; null: the handler checks
 * @param ahead how far a token may be ahead of the clock; null: as far as it likes
 */
record TokenRules(
        @Nullable TokenGuard guard,
        UnaryOperator<String> resources,
        Predicate<String> except,
        int missingStatus,
        int upToGeneration,
        @Nullable Duration ahead,
        Duration retryAfter,
        Clock clock) {
    /** What every guard can keep: SqlFence takes no longer names. */
    private static final int MOST_BYTES = 512;

    /** A request that cannot be let through. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        Refused(Problem problem) {
            super(problem.detail(), null, false, false);
            this.problem = problem;
        }

        Problem problem() {
            return problem;
        }
    }

    /** The name of the resource; null: this path is not guarded. */
    @Nullable
    String resource(String path) throws Refused {
        try {
            String canonical = ResourcePath.of(path);
            if (except.test(canonical)) {
                return null;
            }
            String name = resources.apply(canonical);
            if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
                throw new Refused(Problem.pathTooLong(MOST_BYTES));
            }
            return name;
        } catch (IllegalArgumentException e) {
            throw new Refused(Problem.ambiguousPath(String.valueOf(e.getMessage())));
        }
    }

    TokenHeader read(String text) throws Refused {
        TokenHeader presented;
        try {
            presented = TokenHeader.parse(text);
        } catch (IllegalArgumentException e) {
            throw new Refused(Problem.malformed(String.valueOf(e.getMessage())));
        }
        if (presented.generation() > upToGeneration) {
            throw new Refused(Problem.outOfRange("This server accepts tokens up to generation " + upToGeneration
                    + ", and generation " + presented.generation() + " was presented."));
        }
        if (ahead != null && presented.token().value() > micros(clock.instant().plus(ahead))) {
            throw new Refused(Problem.outOfRange("The token is further ahead of this server's clock than it allows."));
        }
        return presented;
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}

package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.Secrets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code /actuator/locks}: which locks are held in the store, by whom, and who waits. Locks can be broken only where {@code
 * management.endpoint.locks.access} is {@code unrestricted}.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {
    private static final int DEFAULT_LIMIT = 100;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int UNAVAILABLE = 503;

    private final Holdfast holdfast;

    LocksEndpoint(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    // Boot 3.5 knows an optional parameter by Spring's annotation, Boot 4 by that of JSpecify.

    /** Held locks by the beginning of their names; 100 unless a limit is given. */
    @ReadOperation
    WebEndpointResponse<?> list(
            @org.springframework.lang.Nullable @Nullable String prefix,
            @org.springframework.lang.Nullable @Nullable Integer limit)
            throws InterruptedException {
        return answered(() -> {
            int most = limit == null ? DEFAULT_LIMIT : limit;
            List<LockDescription> locks = holdfast.list(prefix == null ? "" : prefix, most).stream()
                    .map(LockDescription::of)
                    .toList();
            return new WebEndpointResponse<>(Map.of("locks", locks));
        });
    }

    /** One lock, if it is held. */
    @ReadOperation
    WebEndpointResponse<?> lock(@Selector(match = Match.ALL_REMAINING) String... name) throws InterruptedException {
        String joined = String.join("/", name);
        return answered(() -> {
            Optional<LockState> state = holdfast.inspect(joined);
            return state.isPresent()
                    ? new WebEndpointResponse<>(LockDescription.of(state.get()))
                    : refusal(NOT_FOUND, "Nobody holds '" + joined + "'.");
        });
    }

    /**
     * Ends the tenure that the operator has seen, and no later one.
     *
     * @param token any token of that tenure, as the endpoint showed it
     */
    @DeleteOperation
    WebEndpointResponse<?> breakLock(@Selector(match = Match.ALL_REMAINING) String[] name, long token)
            throws InterruptedException {
        String joined = String.join("/", name);
        return answered(() -> {
            Optional<LockState> state = holdfast.inspect(joined);
            if (state.isEmpty()) {
                return refusal(NOT_FOUND, "Nobody holds '" + joined + "'.");
            }
            boolean seen = state.get().tokens().first().value() <= token
                    && token <= state.get().tokens().last().value();
            Optional<LockState> ended = seen ? holdfast.breakLock(state.get()) : Optional.empty();
            return ended.isPresent()
                    ? new WebEndpointResponse<>(LockDescription.of(ended.get()))
                    : refusal(CONFLICT, "The tenure with token " + token + " of '" + joined + "' is over. Look again.");
        });
    }

    private interface Question {
        WebEndpointResponse<?> ask() throws InterruptedException;
    }

    private static WebEndpointResponse<?> answered(Question question) throws InterruptedException {
        try {
            return question.ask();
        } catch (LockUnavailableException e) {
            return refusal(UNAVAILABLE, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return refusal(BAD_REQUEST, Secrets.mask(String.valueOf(e.getMessage())));
        }
    }

    private static WebEndpointResponse<?> refusal(int status, String reason) {
        return new WebEndpointResponse<>(Map.of("error", reason), status);
    }
}

package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.Errors;
import dev.holdfast.spi.RefusedException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Why a connection could not be opened. */
final class Refusals {
    private final Errors errors;

    Refusals(Errors errors) {
        this.errors = errors;
    }

    /** The server's own words, where it had any. */
    RuntimeException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedException refused) {
                return refused;
            }
            if (cause instanceof RedisCommandExecutionException) {
                return errors.said(String.valueOf(cause.getMessage()), null);
            }
        }
        return errors.notConnected(rootOf(failure));
    }

    /** The connection. If there is a problem, the connection is closed before the problem is told: a listener may close the client. */
    <C extends StatefulConnection<?, ?>> CompletionStage<C> unless(@Nullable Throwable problem, C connection) {
        if (problem == null) {
            return CompletableFuture.completedStage(connection);
        }
        return connection.closeAsync().handle((closed, failure) -> {
            throw refusal(problem);
        });
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}

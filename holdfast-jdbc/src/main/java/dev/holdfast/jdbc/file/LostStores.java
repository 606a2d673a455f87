package dev.holdfast.jdbc.file;

import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.connection.StoreGoneException;
import dev.holdfast.jdbc.sql.Steps.ReleaseResult;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What the result of a step means if its store is gone, or was replaced. */
public final class LostStores {
    private LostStores() {}

    /** A store that is gone holds nothing: the same as a lock that was looked for and not found. */
    public static <T> CompletableFuture<T> nothingIfGone(CompletableFuture<T> answer, T nothing) {
        return answer.exceptionallyCompose(failure -> {
            Throwable cause = unwrap(failure);
            return cause instanceof StoreGoneException
                    ? CompletableFuture.completedFuture(nothing)
                    : CompletableFuture.failedFuture(cause);
        });
    }

    /** A grant in a store that is gone does not count. The next attempt uses the store that is there now. */
    public static <T> CompletableFuture<T> notGrantedIfGone(CompletableFuture<T> answer) {
        return answer.exceptionallyCompose(failure -> {
            Throwable cause = unwrap(failure);
            return CompletableFuture.failedFuture(
                    cause instanceof StoreGoneException ? new NotSentException(Errors.text(cause), cause) : cause);
        });
    }

    /**
     * A tenure that is not found is usually one that has been ended before. Where its store was replaced, or has gone back to
     * an earlier state, the lock did not protect its holder to the end, so the release must not succeed.
     *
     * @param replacement what happened to the store; null if nothing did
     */
    public static CompletableFuture<Boolean> confirmed(ReleaseResult result, @Nullable String replacement) {
        if (result.released() || (replacement == null && !result.wentBack())) {
            return CompletableFuture.completedFuture(result.released());
        }
        String why = replacement == null
                ? "the database has gone back to a state from before it was granted (restored from a backup, or emptied)."
                        + " Others may have held the same lock at the same time"
                : replacement;
        return CompletableFuture.failedFuture(new RefusedException("the lock was lost before it was released: " + why));
    }

    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}

package dev.holdfast.spi;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Failures as people read them in messages: never "null", never a password. */
public final class Failures {
    /** A chain of causes longer than this is a loop, or helps nobody. */
    private static final int DEEPEST = 20;

    private Failures() {}

    /** What actually failed: the wrappers that futures put around it are taken off. */
    public static Throwable unwrap(Throwable failure) {
        Throwable inner = failure;
        for (int depth = 0; depth < DEEPEST && isWrapper(inner); depth++) {
            Throwable cause = inner.getCause();
            if (cause == null) {
                break;
            }
            inner = cause;
        }
        return inner;
    }

    /**
     * The message of a failure. Where it has none, its class, and what its causes say: many exceptions of drivers and of
     * the JDK come without a message, such as {@code ClosedChannelException}.
     */
    public static String describe(Throwable failure) {
        Throwable inner = unwrap(failure);
        StringBuilder text = new StringBuilder();
        Throwable each = inner;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            String message = messageOf(each);
            if (message != null) {
                return Secrets.mask(text.append(message).toString());
            }
            String type = each.getClass().getName();
            text.append(type.substring(type.lastIndexOf('.') + 1));
            each = each.getCause();
            if (each != null) {
                text.append(": ");
            }
        }
        return text.toString();
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }

    /** Somebody else's exception may override getMessage, and throw. */
    private static @Nullable String messageOf(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message == null || message.isBlank() ? null : message;
        } catch (RuntimeException e) {
            return null;
        }
    }
}

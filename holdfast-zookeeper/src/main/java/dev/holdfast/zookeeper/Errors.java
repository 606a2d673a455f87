package dev.holdfast.zookeeper;

import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/** What an error of the library proves. */
final class Errors {
    private Errors() {}

    /** Whether a server said this, rather than the library on its own. */
    static boolean isAnswer(int rc) {
        Code code = Code.get(rc);
        return code != null
                && code != Code.CONNECTIONLOSS
                && code != Code.SESSIONEXPIRED
                && code != Code.SESSIONMOVED
                && code != Code.AUTHFAILED
                && code != Code.OPERATIONTIMEOUT
                && code != Code.REQUESTTIMEOUT;
    }

    /** No server said anything: the connection or the session is gone. */
    static boolean isSilence(Throwable failure) {
        return unwrap(failure) instanceof KeeperException e
                && !isAnswer(e.code().intValue());
    }

    static boolean is(Throwable failure, Code code) {
        return unwrap(failure) instanceof KeeperException e && e.code() == code;
    }

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** For core: refused for good, refused for now, or unknown. */
    static Throwable explain(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (!(cause instanceof KeeperException e)) {
            return cause;
        }
        return switch (e.code()) {
            case NOAUTH, AUTHFAILED, INVALIDACL ->
                new RefusedException(
                        "ZooKeeper refuses it: " + describe(e)
                                + ". The user needs the permissions cdrw on that node; see docs/zookeeper.md, Permissions",
                        e);
            case QUOTAEXCEEDED, NOTREADONLY, THROTTLEDOP ->
                new NotSentException("ZooKeeper did not carry it out: " + describe(e), e);
            default -> e;
        };
    }

    /** The message, or the name of the class if there is none. */
    static String describe(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }

    /** For steps that change nothing: whatever went wrong, nothing has to be undone. */
    static Throwable harmless(Throwable failure) {
        Throwable cause = explain(failure);
        return cause instanceof RefusedException || cause instanceof NotSentException
                ? cause
                : new NotSentException("ZooKeeper did not answer: " + describe(cause), cause);
    }
}

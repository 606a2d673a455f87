package dev.holdfast.etcd;

import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** What an error of a server or of the connection proves. */
final class Errors {
    /** How errors begin that a server of etcd made, and not gRPC on one of the two sides. */
    private static final String BY_SERVER = "etcdserver:";

    private Errors() {}

    static boolean is(Throwable failure, Status.Code code) {
        return Failures.unwrap(failure) instanceof StatusRuntimeException e
                && e.getStatus().getCode() == code;
    }

    /** The member does not answer, or has no leader: another one may do better. */
    static boolean isMembers(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE || status.getCode() == Status.Code.DEADLINE_EXCEEDED;
    }

    /** The token is no longer known, or the users have changed since it was given out. The request was not carried out. */
    static boolean wantsLogin(Status status) {
        String text = text(status);
        return status.getCode() == Status.Code.UNAUTHENTICATED
                || (text.startsWith(BY_SERVER)
                        && (text.contains("user name is empty") || text.contains("revision of auth store is old")));
    }

    private static String text(Status status) {
        String description = status.getDescription();
        return description == null ? "" : description;
    }

    /** For core: refused for good, refused for now, or unknown. */
    static Throwable explain(Throwable failure) {
        Throwable cause = Failures.unwrap(failure);
        if (!(cause instanceof StatusRuntimeException e)) {
            return cause;
        }
        Status status = e.getStatus();
        String said = text(status);
        if (said.startsWith(BY_SERVER) && said.contains("user name is empty")) {
            return new RefusedException(
                    "etcd asks for a login, and none is set: name the user and the password, as in"
                            + " etcd://user:password@host:2379; see docs/etcd.md, Permissions",
                    e);
        }
        if (status.getCode() == Status.Code.PERMISSION_DENIED || wantsLogin(status)) {
            return new RefusedException(
                    "etcd refuses it: " + said
                            + ". The user needs the permission readwrite on the keys of the namespace; see docs/etcd.md,"
                            + " Permissions",
                    e);
        }
        if (said.startsWith(BY_SERVER) && said.contains("database space exceeded")) {
            return new NotSentException(
                    "etcd takes no writes, because its database has reached its quota (alarm NOSPACE). What is held can be"
                            + " released and renewed; nothing new is granted until somebody compacts, defragments and disarms"
                            + " the alarm",
                    e);
        }
        if (said.startsWith(BY_SERVER)
                && (status.getCode() == Status.Code.RESOURCE_EXHAUSTED || said.contains("lease not found"))) {
            return new NotSentException("etcd did not carry it out: " + said, e);
        }
        return e;
    }

    /** For steps that change nothing: whatever went wrong, nothing has to be undone. */
    static Throwable harmless(Throwable failure) {
        Throwable cause = explain(failure);
        return cause instanceof RefusedException || cause instanceof NotSentException
                ? cause
                : new NotSentException("etcd did not answer: " + Failures.describe(cause), cause);
    }
}

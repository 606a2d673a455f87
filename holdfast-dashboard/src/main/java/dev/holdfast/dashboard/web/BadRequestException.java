package dev.holdfast.dashboard.web;

/** The request cannot be served as it is. */
final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final int status;

    BadRequestException(int status, String message) {
        super(message);
        this.status = status;
    }

    Reply reply() {
        return Reply.refusal(status, String.valueOf(getMessage()));
    }
}

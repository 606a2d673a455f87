package dev.holdfast.spi;

/**
 * The store answered, and said no for a reason that trying again does not cure: a wrong password, a missing permission, a
 * missing table. Nothing was granted. The message says what to change.
 */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    public RefusedException(String message, Throwable cause) {
        this("", message, cause);
    }

    /**
     * For a refusal that programs treat in their own way.
     *
     * @param code as that of a {@link dev.holdfast.Finding}: stays the same when the words change
     */
    public RefusedException(String code, String message, Throwable cause) {
        super(Secrets.mask(message), Secrets.mask(cause));
        this.code = code;
    }

    public RefusedException(String message) {
        super(Secrets.mask(message));
        this.code = "";
    }

    /** Which refusal it is, such as {@code jdbc.tables-missing}; empty if nobody has to tell it from others. */
    public String code() {
        return code;
    }
}

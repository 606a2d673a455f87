package dev.holdfast;

import dev.holdfast.spi.Secrets;

/**
 * Something a backend says without being asked: bad news, and the good news that ends it.
 *
 * @param source what it is about: a server, a connection
 * @param text what happened, as a sentence for people; passwords are masked
 */
public record BackendNotice(Severity severity, String source, String text) {
    public BackendNotice {
        text = Secrets.mask(text);
    }

    /** Good to know: usually that something works again. */
    public static BackendNotice note(String source, String text) {
        return new BackendNotice(Severity.NOTE, source, text);
    }

    /** Something is wrong. */
    public static BackendNotice warning(String source, String text) {
        return new BackendNotice(Severity.WARNING, source, text);
    }

    /** The lock can fail to exclude, or fail to work. */
    public static BackendNotice danger(String source, String text) {
        return new BackendNotice(Severity.DANGER, source, text);
    }

    @Override
    public String toString() {
        return source + ": " + text;
    }
}

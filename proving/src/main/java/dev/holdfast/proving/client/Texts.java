package dev.holdfast.proving.client;

/** What a library says when it fails, short enough for a line of the log. */
final class Texts {
    private static final int MOST = 200;

    private Texts() {}

    static String of(Throwable thrown) {
        String text = thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        return text.length() > MOST ? text.substring(0, MOST) : text;
    }
}

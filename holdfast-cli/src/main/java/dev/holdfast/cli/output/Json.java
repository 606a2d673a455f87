package dev.holdfast.cli.output;

/** JSON on one line: lossless, but for the passwords that this process was given; and printable, so that it can be looked at. */
public final class Json {
    private Json() {}

    public static String of(Object value) {
        return dev.holdfast.dashboard.json.Json.of(value, Passwords::maskGiven, DisplayText::isPlain);
    }
}

package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.util.Optional;

/** What clients report, as sentences for people. What comes many times a second is left out. */
final class Sentences {
    private static final int LONGEST = 220;

    private Sentences() {}

    record Line(String tone, String text) {}

    static Optional<Line> of(Message message) {
        String lock = !message.values().containsKey("lane")
                ? ""
                : message.lane() == Lane.HOLDFAST ? "Holdfast: " : "plain lock: ";
        String text = switch (message.what()) {
            case "waiting" -> "finds it taken and waits";
            case "holding" ->
                "holds it with " + message.text("votes") + " of 5 votes" + token(message) + ", "
                        + message.text("waited") + " ms after it asked";
            case "read" -> "reads the balance: " + message.text("balance");
            case "wrote" ->
                "writes " + message.text("to") + ", from the " + message.text("from") + " that it read, and "
                        + message.text("deposit");
            case "refused" ->
                "the account refuses token " + message.text("token") + ": it has seen " + message.text("newest");
            case "released" -> "has released it";
            case "lost" -> "is told that its lease has ended: " + message.text("why");
            case "busy" -> "does not get it: " + message.text("why");
            case "unavailable" -> "gets no majority: " + message.text("why");
            case "notice" -> message.text("source") + ": " + message.text("text");
            case "failed" -> "failed: " + message.text("why");
            default -> "";
        };
        return text.isEmpty() ? Optional.empty() : Optional.of(new Line(tone(message.what()), shortened(lock + text)));
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }

    private static String token(Message message) {
        return message.number("token") == 0 ? "" : ", token " + message.text("token");
    }

    private static String tone(String what) {
        return switch (what) {
            case "holding", "wrote" -> "good";
            case "refused", "lost", "unavailable", "failed" -> "bad";
            case "notice" -> "notice";
            default -> "plain";
        };
    }
}

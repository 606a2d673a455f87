package dev.holdfast.lab.stage;

/**
 * Something that has happened, for people.
 *
 * @param number grows with each
 * @param who a client, a server or the lab
 * @param tone {@code good}, {@code bad}, {@code fault}, {@code notice}, {@code story} or {@code plain}
 */
public record LogLine(long number, long millis, String who, String tone, String text) {}

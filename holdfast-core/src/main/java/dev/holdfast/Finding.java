package dev.holdfast;

/**
 * Something about a store that its user should know.
 *
 * @param what is the case
 * @param remedy what to do about it; empty where nothing is to be done
 */
public record Finding(Severity severity, String what, String remedy) {
    /** How much a finding matters. */
    public enum Severity {
        /** Good to know. */
        NOTE,
        /** Works now, and will hurt some day. */
        WARNING,
        /** The lock can fail to exclude, or fail to work. */
        DANGER
    }
}

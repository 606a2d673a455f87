package dev.holdfast;

/** How much a {@link Finding} or a {@link BackendNotice} matters. */
public enum Severity {
    /** Good to know. Nothing has to be done. */
    NOTE,
    /** Works now, and can do harm later. */
    WARNING,
    /** The lock can fail to exclude, or fail to work. */
    DANGER
}

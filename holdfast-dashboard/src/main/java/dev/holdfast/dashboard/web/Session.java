package dev.holdfast.dashboard.web;

/**
 * A browser that was let in.
 *
 * @param who as far as it is known, for the record
 * @param token must come with every change, in a header that no foreign page can send
 */
public record Session(String who, String token) {
    @Override
    public String toString() {
        return "Session of " + who;
    }
}

package dev.holdfast.proving.check;

/** One time that a client asked for the lock, and what came of it. */
public record Section(String client, long number) {
    @Override
    public String toString() {
        return client + "#" + number;
    }
}

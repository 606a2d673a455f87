package dev.holdfast;

import java.io.Serializable;

/**
 * A number that comes with every lease and grows with every lease of the same name. Hand it to the resource with each
 * write; a resource that remembers the highest one it saw can refuse a holder whose lease has ended.
 */
public record FencingToken(long value) implements Comparable<FencingToken>, Serializable {
    public FencingToken {
        if (value <= 0) {
            throw new IllegalArgumentException("A fencing token is a positive number, not " + value
                    + ". Take it from Lease.token(); 0 and -1 are not stand-ins for \"no lock\".");
        }
    }

    /** Whether this one was handed out after the other, for the same lock name. */
    public boolean isNewerThan(FencingToken other) {
        return value > other.value;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}

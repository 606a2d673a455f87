package dev.holdfast;

import java.io.Serializable;

/**
 * Who holds a lock or waits for it, as people want to read it.
 *
 * @param description free text given with {@link DistributedLock#describedAs} or for the whole process; may be empty
 */
public record Holder(String host, long pid, String description) implements Serializable {
    @Override
    public String toString() {
        String process = "process " + pid + " on " + host;
        return description.isEmpty() ? process : process + " (" + description + ")";
    }
}

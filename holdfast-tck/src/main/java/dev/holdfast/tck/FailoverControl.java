package dev.holdfast.tck;

/** Lets the kit play a failover that forgets, for a backend that declares {@code Guarantees.Failover.TOLD}. */
public interface FailoverControl {
    /** From here on, what is stored for this name reaches no other server. */
    void holdBackReplication(String name);

    /** Kills the server that keeps this name. Returns once another one has taken over, which knows nothing of what was held back. */
    void failOver(String name);

    /** Brings back what was killed. Returns once the next failover can be played. */
    void restore();
}

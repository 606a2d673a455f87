package dev.holdfast.tck;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that takes permits of a semaphore and keeps them until it is killed. Started by the kit; arguments: the class of a
 * {@link ClientFactory}, the address for it, the lease in milliseconds, the name, how many permits there are, how many to take.
 * Prints {@code holding INDEX SLOT} after each acquisition.
 */
public final class PermitTakingProcess {
    private PermitTakingProcess() {}

    /** Runs until killed, or until its input is closed: so it does not outlive the process that started it. */
    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException, IOException {
        Duration lease = Duration.ofMillis(Long.parseLong(args[2]));
        int permits = Integer.parseInt(args[4]);
        List<Lease> leases = new ArrayList<>();
        try (Holdfast holdfast = LockTakingProcess.connect(args)) {
            for (int i = 0; i < Integer.parseInt(args[5]); i++) {
                Lease taken =
                        holdfast.semaphore(args[3], permits).withLease(lease).acquire();
                leases.add(taken);
                System.out.println("holding " + i + " " + taken.slot());
            }
            LockTakingProcess.untilTheInputEnds();
            leases.forEach(Lease::close);
        }
    }
}

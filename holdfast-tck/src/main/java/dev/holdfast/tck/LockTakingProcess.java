package dev.holdfast.tck;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that takes locks and keeps them until it is killed. Started by the kit; arguments: the class of a {@link
 * ClientFactory}, the address for it, the lease in milliseconds, the names. Prints {@code asking NAME} before and {@code
 * holding NAME TOKEN} after each acquisition.
 */
public final class LockTakingProcess {
    private LockTakingProcess() {}

    /** Runs until killed, or until its input is closed: so it does not outlive the process that started it. */
    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException, IOException {
        Duration lease = Duration.ofMillis(Long.parseLong(args[2]));
        List<Lease> leases = new ArrayList<>();
        try (Holdfast holdfast = connect(args)) {
            for (String name : List.of(args).subList(3, args.length)) {
                System.out.println("asking " + name);
                leases.add(holdfast.lock(name).withLease(lease).acquire());
                System.out.println(
                        "holding " + name + " " + leases.get(leases.size() - 1).token());
            }
            untilTheInputEnds();
            leases.forEach(Lease::close);
        }
    }

    static Holdfast connect(String[] args) throws ReflectiveOperationException {
        ClientFactory factory = Class.forName(args[0])
                .asSubclass(ClientFactory.class)
                .getConstructor()
                .newInstance();
        return Holdfast.builder(Connecting.patiently(() -> factory.connect(args[1])))
                .describedAs("takes locks and gets killed")
                .unavailableAfter(Duration.ofMinutes(1))
                .build();
    }

    static void untilTheInputEnds() throws IOException {
        while (System.in.read() >= 0) {
            // Whatever is said, only the end of the input counts.
        }
    }
}

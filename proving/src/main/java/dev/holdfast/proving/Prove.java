package dev.holdfast.proving;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.report.Table;
import dev.holdfast.proving.schedule.Schedule;
import java.nio.file.Files;
import java.util.List;

/** The program behind {@code ./prove}. */
public final class Prove {
    private Prove() {}

    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (IllegalArgumentException | java.time.format.DateTimeParseException e) {
            System.err.println(e.getMessage());
            System.exit(64);
            return;
        }
        Files.createDirectories(options.folder());
        try (Machine machine = Machine.prepare()) {
            Campaign campaign = new Campaign(
                    machine,
                    options.subjects(),
                    options.lease(),
                    options.folder().toAbsolutePath(),
                    System.out);
            if (options.soak() != null) {
                campaign.soak(options.soak(), options);
            } else {
                campaign.play(Schedule.of(options.stores(), options.faults(), options.rounds(), options.seed()));
            }
            System.out.println();
            System.out.println(Table.of(campaign.results()));
        }
        // Libraries leave threads behind.
        System.exit(0);
    }
}

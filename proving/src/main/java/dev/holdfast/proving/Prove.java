package dev.holdfast.proving;

import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.report.Conditions;
import dev.holdfast.proving.report.Report;
import dev.holdfast.proving.report.Table;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.schedule.Schedule;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/** The program behind {@code ./prove}. */
public final class Prove {
    private Prove() {}

    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(64);
            return;
        }
        try {
            Files.createDirectories(options.folder());
            Files.createDirectories(options.report());
        } catch (IOException e) {
            System.err.println("This folder cannot be written, and the results would be lost: " + e.getMessage());
            System.exit(73);
            return;
        }
        try (Machine machine = Machine.prepare()) {
            Campaign campaign = new Campaign(
                    machine,
                    options.subjects(),
                    options.lease(),
                    options.lanes(),
                    options.folder().toAbsolutePath(),
                    System.out);
            if (options.soak() != null) {
                campaign.soak(options.soak(), options);
            } else {
                List<PlannedTrial> planned =
                        Schedule.of(options.stores(), options.faults(), options.rounds(), options.seed());
                if (options.allRounds()) {
                    campaign.play(planned);
                } else {
                    campaign.playUntilDecided(planned);
                }
            }
            System.out.println();
            System.out.println(Table.of(campaign.results()));
            Conditions conditions = conditions(options, Options.command(List.of(arguments)), campaign);
            Path page = Report.write(options.report(), conditions, campaign.results());
            System.out.println(conditions.loadSentence() + " The page is " + page + ".");
        }
        // Libraries leave threads behind.
        System.exit(0);
    }

    private static Conditions conditions(Options options, String command, Campaign campaign) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Conditions(
                options.kind(),
                LocalDate.now(ZoneOffset.UTC).toString(),
                command,
                options.seed(),
                options.lease().toMillis(),
                String.format(
                        Locale.ROOT,
                        "%s %s, %d cores, %d GB, Java %s.",
                        system.getName(),
                        system.getArch(),
                        system.getAvailableProcessors(),
                        system.getTotalMemorySize() >> 30,
                        System.getProperty("java.version")),
                system.getAvailableProcessors(),
                campaign.loads().stream().map(Load::average).toList(),
                campaign.loads().stream().map(Load::others).toList(),
                campaign.versions());
    }
}

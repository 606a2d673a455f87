package dev.holdfast.specification;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tlc2.TLC;

/** One run of the model checker, in a JVM of its own: it keeps its state in static fields. */
record TlcRun(Path configuration, String outcome, long generated, long distinct, long left, String output) {
    static final String HOLDS = "holds";

    private static final Path WORK = Path.of("target", "tlc");
    private static final Pattern STATES =
            Pattern.compile("(?m)^(\\d+) states generated, (\\d+) distinct states found, (\\d+) states left on queue");
    private static final Pattern INVARIANT = Pattern.compile("Invariant (\\w+) is violated");
    private static final Pattern STEP = Pattern.compile("(?m)^State \\d+: ");
    /** What a configuration is about, if that is not all of it. */
    private static final Pattern MODULE = Pattern.compile("Module: (\\w+)");

    private static final Pattern PROPERTY = Pattern.compile("(?m)^PROPERTY (\\w+)");

    static TlcRun of(Path configuration) throws IOException, InterruptedException {
        Matcher module = MODULE.matcher(Files.readString(configuration));
        return run(configuration, module.find() ? module.group(1) : "Model", "");
    }

    static TlcRun of(Path configuration, Mutant mutant) throws IOException, InterruptedException {
        return run(configuration, mutant.module(), mutant.overrides());
    }

    private static TlcRun run(Path configuration, String module, String overrides)
            throws IOException, InterruptedException {
        String text = Files.readString(configuration) + overrides;
        Path folder = folderFor(module + "-" + configuration.getParent() + "-" + configuration.getFileName());
        Files.writeString(folder.resolve("Run.cfg"), text);
        String output = check(folder, module, configuration.startsWith("larger"));
        Matcher states = STATES.matcher(output);
        boolean counted = states.find();
        return new TlcRun(
                configuration,
                outcome(output, text),
                counted ? Long.parseLong(states.group(1)) : 0,
                counted ? Long.parseLong(states.group(2)) : 0,
                counted ? Long.parseLong(states.group(3)) : -1,
                output);
    }

    /** The checker looks for modules beside the one it is given. */
    private static Path folderFor(String name) throws IOException {
        Path folder = Files.createDirectories(WORK.resolve(name));
        for (String source : List.of(".", "mutants")) {
            try (Stream<Path> modules = Files.list(Path.of(source))) {
                for (Path module :
                        modules.filter(file -> file.toString().endsWith(".tla")).toList()) {
                    Files.writeString(folder.resolve(module.getFileName()), Files.readString(module));
                }
            }
        }
        return folder;
    }

    private static String check(Path folder, String module, boolean large) throws IOException, InterruptedException {
        File log = folder.resolve("output.txt").toFile();
        Process tlc = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        // Most runs end before the optimising compiler has paid for itself.
                        "-XX:TieredStopAtLevel=" + (large ? 4 : 1),
                        // It unpacks its library there, and two runs must not meet.
                        "-Djava.io.tmpdir=" + folder.toAbsolutePath(),
                        "-cp",
                        classPath(),
                        "tlc2.TLC",
                        "-workers",
                        "1",
                        "-metadir",
                        folder.resolve("states").toAbsolutePath().toString(),
                        "-config",
                        "Run.cfg",
                        module + ".tla")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            if (!tlc.waitFor(2, TimeUnit.HOURS)) {
                throw new IllegalStateException("The model checker does not come to an end in " + folder);
            }
        } finally {
            tlc.destroyForcibly();
        }
        return Files.readString(log.toPath());
    }

    private static String classPath() {
        URL jar = TLC.class.getProtectionDomain().getCodeSource().getLocation();
        return Path.of(URI.create(jar.toString())).toString();
    }

    private static String outcome(String output, String configuration) {
        Matcher invariant = INVARIANT.matcher(output);
        if (invariant.find()) {
            return invariant.group(1);
        }
        Matcher property = PROPERTY.matcher(configuration);
        if (output.contains("Temporal properties were violated") && property.find()) {
            return property.group(1);
        }
        return output.contains("No error has been found") ? HOLDS : "no verdict";
    }

    @Override
    public String toString() {
        String name = configuration.toString().replace("configurations/", "").replace(".cfg", "");
        return outcome.equals(HOLDS)
                ? name + ": holds in all " + distinct + " distinct states (" + generated + " generated)"
                : name + ": " + outcome + " violated after " + length() + " steps; " + distinct + " distinct states ("
                        + generated + " generated)";
    }

    private long length() {
        return STEP.matcher(output).results().count() - 1;
    }
}

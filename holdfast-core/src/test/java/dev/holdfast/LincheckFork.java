package dev.holdfast;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Runs a race over a mutant in a JVM of its own: Lincheck keeps what it instrumented by name, whatever the class loader. */
final class LincheckFork {
    private LincheckFork() {}

    static String run(Class<? extends Supplier<String>> race, SearchMutant mutant)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("--add-") || argument.startsWith("-X")) {
                command.add(argument);
            }
        }
        command.add("-Dbasedir=" + System.getProperty("basedir", ""));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LincheckFork.class.getName()));
        command.addAll(List.of(race.getName(), mutant.what(), mutant.file(), mutant.text(), mutant.replacement()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        int outcome = output.indexOf("outcome: ");
        return outcome < 0 ? output : output.substring(outcome + "outcome: ".length());
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws ClassNotFoundException {
        // Not initialised here: the race must meet the mutant, not the engine.
        Class<?> race = Class.forName(args[0], false, LincheckFork.class.getClassLoader());
        SearchMutant mutant = new SearchMutant(args[1], args[2], args[3], args[4]);
        System.out.println("outcome: "
                + mutant.search((Class<? extends Supplier<String>>) race).get());
        System.exit(0);
    }
}

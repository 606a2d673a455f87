package dev.holdfast.tck;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A JVM beside the one that runs the tests, with the classes that the tests have. */
public final class OtherJvm {
    private OtherJvm() {}

    /**
     * Ready to be started.
     *
     * @param needed a class of the tests that it must be able to load; often {@code main} itself
     */
    public static ProcessBuilder of(Class<?> main, Class<?> needed, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                // It runs for seconds, beside others.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath(needed),
                main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /**
     * Tests may run on the class path or on the module path, and then test classes are patched into a module and on
     * neither: the place of the needed class file is added by itself.
     */
    private static String classPath(Class<?> needed) {
        Set<String> entries = new LinkedHashSet<>();
        entries.add(rootOf(needed));
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            entries.addAll(List.of(System.getProperty(property, "").split(File.pathSeparator)));
        }
        entries.remove("");
        return String.join(File.pathSeparator, entries);
    }

    private static String rootOf(Class<?> type) {
        String file = type.getName().replace('.', '/') + ".class";
        String url = Objects.requireNonNull(type.getResource("/" + file)).toString();
        String root = url.substring(0, url.length() - file.length());
        if (root.startsWith("jar:")) {
            root = root.substring("jar:".length(), root.length() - "!/".length());
        }
        return Path.of(URI.create(root)).toString();
    }
}

package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Without everything that is optional, in a process of its own. */
class MinimalClassPathTest {
    private static final List<String> NEEDED = List.of(
            "spring-aop",
            "spring-beans",
            "spring-context",
            "spring-core",
            "spring-expression",
            "spring-jcl",
            "spring-tx",
            "commons-logging",
            "micrometer",
            "jspecify",
            "slf4j");

    @Test
    void locksWorkWithoutJdbcOrmAndReactor() throws Exception {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(MinimalClassPathTest::isNeeded)
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath).doesNotContain("reactor", "spring-jdbc", "spring-orm", "holdfast-jdbc");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        Minimal.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("ran under [order:7]").contains("refused: fenced = true needs spring-jdbc");
    }

    /** Jars by their names; this project's modules may be directories, too. */
    private static boolean isNeeded(String entry) {
        String name = new File(entry).getName();
        boolean own = name.equals("test-classes") || entry.matches(".*[/\\\\]holdfast-(core|spring)[/\\\\-].*");
        return own || NEEDED.stream().anyMatch(name::startsWith);
    }

    static class Minimal {
        public static void main(String[] arguments) {
            try (Application application = Application.of(Service.class)) {
                System.out.println(
                        "ran under " + application.bean(Service.class).run(7));
            }
            try {
                Application.of(Fenced.class).close();
            } catch (IllegalStateException e) {
                System.out.println("refused: " + e.getMessage().replaceAll("(?s).*: ", ""));
            }
        }
    }

    static class Service {
        @Locked(name = "order", key = "#id")
        public List<String> run(long id) {
            return LockedNamesTest.held();
        }
    }

    static class Fenced {
        @Locked(name = "a", fenced = true)
        public void run() {}
    }
}

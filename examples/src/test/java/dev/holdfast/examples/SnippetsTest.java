package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.memory.InMemoryBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SnippetsTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("import [^;]*;");

    @Test
    void everyJavaSnippetOfTheReadmeIsCompiledHere() throws IOException {
        String source = Files.readString(Path.of("src/main/java/dev/holdfast/examples/Snippets.java"));
        String compiled = squeezed(source);
        Matcher blocks = JAVA_BLOCK.matcher(Files.readString(Path.of("../README.md")));
        int found = 0;
        while (blocks.find()) {
            found++;
            assertThat(compiled).contains(squeezed(blocks.group(1)));
            IMPORT.matcher(blocks.group(1))
                    .results()
                    .map(MatchResult::group)
                    .forEach(each -> assertThat(source).contains(each));
        }
        assertThat(found).isPositive();
    }

    @Test
    void theReadmeInstallsWithACommandThatWorksOnAFreshClone() throws IOException {
        // Modules use each other's test jars. With -Dmaven.test.skip=true there are none, and the build stopped
        // halfway.
        assertThat(Files.readString(Path.of("../README.md")))
                .contains("`mvn -q -DskipTests install`")
                .doesNotContain("maven.test.skip");
    }

    @Test
    void theSnippetsDoWhatTheySay() throws InterruptedException {
        assertThat(Snippets.losing()).hasSize(1);
        try (Holdfast holdfast = Snippets.listening(new InMemoryBackend())) {
            Snippets.waysToAcquire(holdfast);
            Snippets.moreThanOneHolder(holdfast);
            CountDownLatch led = new CountDownLatch(1);
            try (Candidacy candidacy = Snippets.sharing(holdfast, token -> {
                led.countDown();
                Thread.sleep(1);
            })) {
                assertThat(led.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(candidacy.name()).isEqualTo("scheduler");
            }
            assertThat(holdfast.list("", 10)).isEqualTo(List.of());
        }
    }

    /** Imports, indentation, line breaks and comments may differ between a page and a source file. */
    private static String squeezed(String code) {
        return IMPORT.matcher(code.replaceAll("//[^\n]*", "")).replaceAll("").replaceAll("\\s+", "");
    }
}

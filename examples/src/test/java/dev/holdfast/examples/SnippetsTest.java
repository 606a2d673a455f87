package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.InMemoryBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SnippetsTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyJavaSnippetOfTheReadmeIsCompiledHere() throws IOException {
        String compiled = squeezed(Files.readString(Path.of("src/main/java/dev/holdfast/examples/Snippets.java")));
        Matcher blocks = JAVA_BLOCK.matcher(Files.readString(Path.of("../README.md")));
        int found = 0;
        while (blocks.find()) {
            found++;
            assertThat(compiled).contains(squeezed(blocks.group(1)));
        }
        assertThat(found).isPositive();
    }

    @Test
    void theSnippetsDoWhatTheySay() throws InterruptedException {
        assertThat(Snippets.losing()).hasSize(1);
        try (Holdfast holdfast = Snippets.listening(new InMemoryBackend())) {
            Snippets.waysToAcquire(holdfast);
            assertThat(holdfast.list("", 10)).isEqualTo(List.of());
        }
    }

    /** Indentation, line breaks and comments may differ between a page and a source file. */
    private static String squeezed(String code) {
        return code.replaceAll("//[^\n]*", "").replaceAll("\\s+", "");
    }
}

package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;

/** What is kept for a native image. No image is built: what it would keep is asked of Spring's predicates. */
class NativeImageTest {
    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .forEach(each -> each.registerHints(hints, NativeImageTest.class.getClassLoader()));
        return hints;
    }

    @Test
    void theScriptsAndTablesOfTheStoresAndThePagesAreKept() throws IOException {
        List<String> files = new ArrayList<>();
        files.addAll(files("dev/holdfast/redis/", "**/*.lua"));
        files.addAll(files("META-INF/holdfast/", "*.sql"));
        files.addAll(files("dev/holdfast/dashboard/", "page/*.*"));
        files.addAll(files("dev/holdfast/dashboard/", "web/*.html"));
        assertThat(files)
                .hasSizeGreaterThan(50)
                .contains(
                        "dev/holdfast/redis/acquire.lua",
                        "dev/holdfast/dashboard/page/app.js",
                        "dev/holdfast/dashboard/web/enter.html");
        RuntimeHints hints = hints();
        assertThat(files)
                .allSatisfy(file -> assertThat(RuntimeHintsPredicates.resource().forResource(file))
                        .accepts(hints));
    }

    @Test
    void whatTheClusterOfTheApplicationWasGivenCanBeRead() throws ReflectiveOperationException {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(RedisClusterClient.class.getDeclaredMethod("getInitialUris"))
                        .invoke())
                .accepts(hints());
    }

    private static List<String> files(String folder, String pattern) throws IOException {
        List<String> found = new ArrayList<>();
        for (Resource each : new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + pattern)) {
            String url = each.getURL().toString();
            found.add(url.substring(url.lastIndexOf(folder)));
        }
        return found;
    }

    @Test
    void anApplicationIsProcessedAheadOfTime() {
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get("app", "App")), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(HoldfastAutoConfiguration.class, LockingAutoConfiguration.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet()).anyMatch(name -> name.contains("Holdfast"));
    }
}

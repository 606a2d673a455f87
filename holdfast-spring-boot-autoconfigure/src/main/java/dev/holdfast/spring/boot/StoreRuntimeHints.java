package dev.holdfast.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep of the stores: they read their scripts and tables from the jar, by names that only they know. */
final class StoreRuntimeHints implements RuntimeHintsRegistrar {
    // Folder by folder: whether an asterisk goes into folders differs between Spring 6 and 7.
    private static final List<String> SCRIPTS =
            List.of("", "parts/", "semaphore/", "semaphore/parts/", "rw/", "rw/parts/", "quorum/", "quorum/parts/");

    private static final String CLUSTER_CLIENT = "io.lettuce.core.cluster.RedisClusterClient";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (String folder : SCRIPTS) {
            hints.resources().registerPattern("dev/holdfast/redis/" + folder + "*.lua");
        }
        hints.resources().registerPattern("META-INF/holdfast/*.sql");
        // The console reads its page in the same way.
        hints.resources().registerPattern("dev/holdfast/dashboard/page/*");
        hints.resources().registerPattern("dev/holdfast/dashboard/web/*");
        // Read by reflection: which servers and login the application's own client was given.
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        CLUSTER_CLIENT,
                        client -> client.withMethod("getInitialUris", List.of(), ExecutableMode.INVOKE));
    }
}

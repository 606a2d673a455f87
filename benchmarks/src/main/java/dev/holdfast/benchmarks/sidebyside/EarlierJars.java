package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Another build of Holdfast in the same JVM, as a peer of this one: its classes and scripts come from the jars in a folder, all
 * other libraries are the same for both.
 */
final class EarlierJars extends URLClassLoader {
    private static final String OURS = "dev.holdfast.";
    /** What both builds are called through: there must be one of each. */
    private static final String SHARED = Peer.class.getName();

    private EarlierJars(URL[] urls, ClassLoader parent) {
        super("earlier jars", urls, parent);
    }

    /** @param folder with the jars of holdfast-core and holdfast-redis */
    static EarlierJars in(Path folder) throws IOException {
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                urls.add(file.toUri().toURL());
            }
        }
        if (urls.isEmpty()) {
            throw new IOException("There are no jars in " + folder);
        }
        // The peers are compiled here, against this build. They use what both builds have.
        urls.add(Peer.class.getProtectionDomain().getCodeSource().getLocation());
        return new EarlierJars(urls.toArray(URL[]::new), Peer.class.getClassLoader());
    }

    Peer redis(String name, int cohort) {
        return peer(HoldfastPeer.class, name, cohort);
    }

    Peer quorum(String name, int cohort) {
        return new InitialisedQuorum(peer(HoldfastQuorumPeer.class, name, cohort), this);
    }

    private Peer peer(Class<? extends Peer> kind, String name, int cohort) {
        try {
            var constructor = loadClass(kind.getName()).getDeclaredConstructor(String.class, int.class);
            constructor.setAccessible(true);
            return (Peer) constructor.newInstance(name, cohort);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The earlier jars cannot be used: " + e, e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.equals(SHARED) || name.startsWith(SHARED + "$")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    /** Scripts belong to the classes beside them. */
    @Override
    public @Nullable URL getResource(String name) {
        return name.startsWith(OURS.replace('.', '/')) ? findResource(name) : super.getResource(name);
    }

    /** Another wire version has a record of its own at the servers, which lets them vote. */
    private record InitialisedQuorum(Peer peer, ClassLoader loader) implements Peer {
        @Override
        public String name() {
            return peer.name();
        }

        @Override
        public String setUp() {
            return peer.setUp();
        }

        @Override
        public Client connect(List<String> urls) throws Exception {
            Class<?> backend = loader.loadClass("dev.holdfast.redis.RedlockBackend");
            Object builder = backend.getMethod("builder", List.class).invoke(null, urls);
            try {
                builder.getClass().getMethod("initialise").invoke(builder);
            } catch (InvocationTargetException e) {
                // They vote already: the wire version is the same, or this is not the first client.
                if (!(e.getCause() instanceof IllegalStateException)) {
                    throw e;
                }
            }
            return peer.connect(urls);
        }
    }
}

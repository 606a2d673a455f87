package dev.holdfast.simulation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Production code with a bug planted in it: one file, Java or Lua, with one piece of its text replaced, in a class loader
 * that has its own copy of everything else of ours. Nothing in the product knows of this.
 *
 * @param file under the module's sources or resources, in its package
 * @param text what must be there exactly once
 */
record Mutant(String what, String module, String file, String text, String replacement) {
    private static final Path BASE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();

    static Mutant core(String what, String file, String text, String replacement) {
        return new Mutant(what, "holdfast-core", "dev/holdfast/" + file, text, replacement);
    }

    static Mutant redis(String what, String file, String text, String replacement) {
        return new Mutant(what, "holdfast-redis", "dev/holdfast/redis/" + file, text, replacement);
    }

    /** The files that differ from the product, by their names. */
    Map<String, byte[]> plant() {
        Map<String, byte[]> changed = new HashMap<>();
        if (file.endsWith(".lua")) {
            changed.put(file, mutated("resources").getBytes(StandardCharsets.UTF_8));
        } else {
            compile(changed);
        }
        return changed;
    }

    /** What the simulation says about it. */
    @SuppressWarnings("unchecked")
    String hunt() {
        try {
            return ((LongFunction<String>) new Loader(plant())
                            .loadClass(Hunt.class.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .apply(file.contains("/quorum/") ? Plan.QUORUM_EVERY : 1);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(what, e);
        }
    }

    private Path source(String kind) {
        return BASE.resolveSibling(module).resolve("src/main/" + kind).resolve(file);
    }

    private String mutated(String kind) {
        String original;
        try {
            original = Files.readString(source(kind));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int at = original.indexOf(text);
        if (at < 0 || original.indexOf(text, at + 1) >= 0) {
            throw new AssertionError(
                    "This text must be in " + file + " exactly once, so that the bug can be planted: " + text);
        }
        return original.replace(text, replacement);
    }

    private void compile(Map<String, byte[]> classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        Output output = new Output(compiler.getStandardFileManager(null, null, null));
        List<String> options = List.of("-proc:none", "-nowarn", "-classpath", System.getProperty("java.class.path"));
        JavaFileObject mutant = new Text(source("java").toUri(), mutated("java"));
        if (!compiler.getTask(messages, output, null, options, null, List.of(mutant))
                .call()) {
            throw new AssertionError("The mutant does not compile: " + messages);
        }
        output.classes.forEach((name, bytes) -> classes.put(name.replace('.', '/') + ".class", bytes.toByteArray()));
    }

    @Override
    public String toString() {
        return what;
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(URI uri, String text) {
            super(uri, Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        Output(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, javax.tools.FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:/" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(name, bytes);
                    return bytes;
                }
            };
        }
    }

    /** Its own classes and resources first, where they are ours. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> changed;

        Loader(Map<String, byte[]> changed) {
            super(Mutant.class.getClassLoader());
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.holdfast.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            byte[] bytes = changed.get(name);
            return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
        }
    }
}

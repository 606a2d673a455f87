package dev.holdfast;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The engine with a bug planted in it: one class compiled anew with one piece of its text replaced, in a class loader that
 * has its own copy of everything else of ours. Nothing in the product knows of this.
 *
 * @param file the class, by its path below the root package
 * @param text what must be there exactly once
 */
record SearchMutant(String what, String file, String text, String replacement) {
    private static final Path BASE = Path.of(System.getProperty("basedir", ""));

    /** A search that knows only the mutant. */
    @SuppressWarnings("unchecked")
    Supplier<String> search(Class<? extends Supplier<String>> search) {
        try {
            var constructor = new Loader(compile()).loadClass(search.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (Supplier<String>) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(what, e);
        }
    }

    private Map<String, byte[]> compile() {
        Path source = BASE.resolve("src/main/java/dev/holdfast/" + file + ".java");
        String original = read(source);
        int at = original.indexOf(text);
        if (at < 0 || original.indexOf(text, at + 1) >= 0) {
            throw new AssertionError(
                    "This text must be in " + file + " exactly once, so that the bug can be planted: " + text);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        Output output = new Output(compiler.getStandardFileManager(null, null, null));
        List<String> options = List.of("-proc:none", "-nowarn", "-classpath", classpath());
        JavaFileObject mutated = new Text(source.toUri(), original.replace(text, replacement));
        if (!compiler.getTask(messages, output, null, options, null, List.of(mutated))
                .call()) {
            throw new AssertionError("The mutant does not compile: " + messages);
        }
        Map<String, byte[]> classes = new HashMap<>();
        output.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    private static String classpath() {
        String separator = System.getProperty("path.separator");
        return BASE.resolve("target/classes")
                + separator
                + System.getProperty("java.class.path")
                + separator
                + System.getProperty("jdk.module.path", "");
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** Its own classes first, where they are ours. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> mutated;

        Loader(Map<String, byte[]> mutated) {
            super(SearchMutant.class.getClassLoader());
            this.mutated = mutated;
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
                byte[] bytes = mutated.containsKey(name) ? mutated.get(name) : compiled(name);
                return defineClass(name, bytes, 0, bytes.length);
            }
        }

        private static byte[] compiled(String name) throws ClassNotFoundException {
            for (String directory : List.of("target/classes", "target/test-classes")) {
                Path path = BASE.resolve(directory).resolve(name.replace('.', '/') + ".class");
                if (Files.exists(path)) {
                    try {
                        return Files.readAllBytes(path);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
            throw new ClassNotFoundException(name);
        }
    }
}

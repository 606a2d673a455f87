package dev.holdfast.lab.machine;

import dev.holdfast.lab.wire.Resp;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives a server a clock of its own, which can run fast: a small library of ours (clock.c) stands between the server and the
 * clock of the system. The server that comes with us is linked statically and cannot be given a library. So this takes the
 * system's own Redis and C compiler; where one of them is missing it says so.
 */
public final class ClockShim {
    /** Names another server than the first {@code redis-server} on the path. */
    public static final String PROGRAM_PROPERTY = "holdfast.lab.redis";

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ANSWER_MILLIS = 2000;
    private static final long LOOK_AGAIN_MILLIS = 10;
    private static final int TRIAL_RATE = 100;
    private static final Pattern VERSION = Pattern.compile("redis_version:(\\d{1,4})\\.(\\d{1,4})");
    private static final Duration ENOUGH = Duration.ofMillis(100);

    private final @Nullable Path program;
    private final @Nullable Path library;
    private final String whyNot;

    private ClockShim(@Nullable Path program, @Nullable Path library, String whyNot) {
        this.program = program;
        this.library = library;
        this.whyNot = whyNot;
    }

    public boolean isUsable() {
        return program != null;
    }

    /** Empty where it is usable. */
    public String whyNot() {
        return whyNot;
    }

    /** Compiles the library, and tries it on a server: whether its clock runs fast is asked, not assumed. */
    static ClockShim prepare(Path folder, Keeper keeper, FreePorts ports) throws IOException, InterruptedException {
        Path program = find(System.getProperty(PROGRAM_PROPERTY, "redis-server"));
        if (program == null) {
            return unusable("this machine has no redis-server of its own (Debian: apt-get install redis-server)");
        }
        Path compiler = find("cc");
        if (compiler == null) {
            return unusable("this machine has no C compiler (cc)");
        }
        Path library = folder.resolve("clock.so");
        if (!compile(compiler, folder, library)) {
            return unusable("the C compiler of this machine did not compile our clock");
        }
        ClockShim shim = new ClockShim(program, library, "");
        return shim.works(folder, keeper, ports.next())
                ? shim
                : unusable(
                        program
                                + " is no Redis 6.2 or later that takes its time from our clock: it is older, not linked dynamically, or did not start");
    }

    private static ClockShim unusable(String why) {
        return new ClockShim(null, null, why);
    }

    private static @Nullable Path find(String program) {
        if (program.indexOf(File.separatorChar) >= 0) {
            return Files.isExecutable(Path.of(program)) ? Path.of(program) : null;
        }
        for (String folder : String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1)) {
            Path candidate = Path.of(folder, program);
            if (!folder.isEmpty() && Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private static boolean compile(Path compiler, Path folder, Path library) throws IOException, InterruptedException {
        Path source = folder.resolve("clock.c");
        try (InputStream packed = ClockShim.class.getResourceAsStream("clock.c")) {
            Files.copy(Objects.requireNonNull(packed, "clock.c"), source);
        }
        Process process = new ProcessBuilder(List.of(
                        compiler.toString(), "-O1", "-shared", "-fPIC", "-o", library.toString(), source.toString()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(folder.resolve("clock.log").toFile()))
                .start();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return false;
        }
        return process.exitValue() == 0;
    }

    /** A server whose clock runs a hundred times too fast is far ahead of ours in no time. */
    private boolean works(Path folder, Keeper keeper, int port) throws IOException, InterruptedException {
        Path rate = folder.resolve("trial-clock");
        writeRate(rate, TRIAL_RATE);
        ProcessBuilder trial = program(rate);
        trial.command().addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--save", ""));
        trial.command().addAll(List.of("--dir", folder.toString()));
        Process process =
                trial.redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
        keeper.add(process);
        try {
            return isFast(process, port);
        } finally {
            process.destroyForcibly().onExit().join();
            keeper.drop(process);
        }
    }

    /**
     * Two looks at its clock. What it has gone forward between them is compared with the longest and the shortest time that
     * can have passed: an answer may take as long as it likes.
     */
    private static boolean isFast(Process process, int port) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        ClockLook first = null;
        while (process.isAlive() && System.nanoTime() - deadline < 0) {
            try (Resp resp = new Resp(port, ANSWER_MILLIS)) {
                if (!isRecent(String.valueOf(resp.call("INFO", "server")))) {
                    return false;
                }
                ClockLook now = ClockLook.at(resp);
                if (first == null) {
                    first = now;
                }
                long shown = now.shownNanos - first.shownNanos;
                long atMost = now.afterNanos - first.beforeNanos;
                long atLeast = now.beforeNanos - first.afterNanos;
                if (shown > 2 * atMost) {
                    return true;
                }
                if (atLeast > ENOUGH.toNanos() && shown < TRIAL_RATE / 2 * atLeast) {
                    return false;
                }
            } catch (IOException notYet) {
                // It is still starting, or it has ended, which is seen above.
            }
            Thread.sleep(LOOK_AGAIN_MILLIS);
        }
        return false;
    }

    /** What Holdfast's quorum needs. */
    private static boolean isRecent(String info) {
        Matcher version = VERSION.matcher(info);
        if (!version.find()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > 6 || (major == 6 && Integer.parseInt(version.group(2)) >= 2);
    }

    /** What a clock showed, at some moment between the two. */
    private record ClockLook(long beforeNanos, long shownNanos, long afterNanos) {
        static ClockLook at(Resp resp) throws IOException {
            long before = System.nanoTime();
            List<?> time = (List<?>) Objects.requireNonNull(resp.call("TIME"));
            long after = System.nanoTime();
            long seconds = Long.parseLong(String.valueOf(time.get(0)));
            long micros = Long.parseLong(String.valueOf(time.get(1)));
            return new ClockLook(
                    before, TimeUnit.SECONDS.toNanos(seconds) + TimeUnit.MICROSECONDS.toNanos(micros), after);
        }
    }

    /** The system's server, with the clock whose rate is in that file. */
    ProcessBuilder program(Path rateFile) {
        ProcessBuilder builder =
                new ProcessBuilder(Objects.requireNonNull(program, "not usable").toString());
        preload(builder, rateFile);
        return builder;
    }

    /** Gives a process that is linked dynamically, a JVM for example, the clock whose rate is in that file. */
    public void preload(ProcessBuilder process, Path rateFile) {
        process.environment()
                .put("LD_PRELOAD", Objects.requireNonNull(library, "not usable").toString());
        process.environment().put("HOLDFAST_LAB_CLOCK", rateFile.toString());
    }

    /** Eight bytes, which the library reads at once. */
    public static void writeRate(Path file, int rate) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.putLong(rate).flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            int unused = channel.write(bytes, 0);
        }
    }
}

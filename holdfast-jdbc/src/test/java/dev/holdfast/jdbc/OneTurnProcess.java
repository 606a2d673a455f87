package dev.holdfast.jdbc;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A program that waits for a lock in a SQLite file without a limit, holds it once, and ends: what cron starts. */
final class OneTurnProcess {
    private OneTurnProcess() {}

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** The file, the name, and for how many milliseconds to hold it. Ends with 69 if the lock is unavailable. */
    public static void main(String[] arguments) throws Exception {
        try (Holdfast process = Holdfast.over(JdbcBackend.sqlite(Path.of(arguments[0])))) {
            CompletableFuture<Lease> wanted = process.lock(arguments[1]).acquireAsync();
            System.out.println("asked");
            try {
                Lease lease = wanted.get();
                long since = micros();
                TimeUnit.MILLISECONDS.sleep(Long.parseLong(arguments[2]));
                boolean valid = lease.isValid();
                long until = micros();
                lease.close();
                System.out.println(
                        (valid ? "held " : "lost ") + lease.token() + " " + since + " " + until + " " + micros());
            } catch (ExecutionException e) {
                System.out.println(e.getCause());
                System.exit(e.getCause() instanceof LockUnavailableException ? 69 : 1);
            }
        }
    }
}

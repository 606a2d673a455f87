package dev.holdfast.dashboard;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockKind;
import dev.holdfast.dashboard.web.Action;
import dev.holdfast.dashboard.web.Reply;
import dev.holdfast.dashboard.web.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The page about the store: what it promises, whether it answers and how fast, and what endangers the locks there. The store is
 * examined at most every ten seconds, however many ask: who comes meanwhile gets the same answer, or waits for it.
 *
 * <p>{@code latest} and {@code takenNanos} are guarded by this; no I/O happens under it. Whoever puts a new future there completes it on
 * every path.
 */
final class StoreReport implements Action {
    static final Duration KEPT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Holdfast holdfast;
    private final Supplier<List<Long>> times;
    private @Nullable CompletableFuture<Map<String, Object>> latest;
    private long takenNanos;

    /** @param times how long the last answers took, in microseconds */
    StoreReport(Holdfast holdfast, Supplier<List<Long>> times) {
        this.holdfast = holdfast;
        this.times = times;
    }

    @Override
    public Reply answer(Request request) throws InterruptedException {
        CompletableFuture<Map<String, Object>> mine = new CompletableFuture<>();
        CompletableFuture<Map<String, Object>> current = current(mine);
        if (current == mine) {
            fill(mine);
        }
        try {
            Map<String, Object> report = new LinkedHashMap<>(current.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS));
            report.put("times", times.get());
            return Reply.json(report);
        } catch (TimeoutException | ExecutionException e) {
            return Reply.refusal(503, "The store has not been examined yet. Ask again in a moment.");
        }
    }

    private synchronized CompletableFuture<Map<String, Object>> current(CompletableFuture<Map<String, Object>> mine) {
        long now = System.nanoTime();
        if (latest != null && (!latest.isDone() || now - takenNanos < KEPT.toNanos())) {
            return latest;
        }
        latest = mine;
        takenNanos = now;
        return mine;
    }

    private void fill(CompletableFuture<Map<String, Object>> report) throws InterruptedException {
        try {
            report.complete(examine());
        } catch (Throwable e) {
            report.completeExceptionally(e);
            throw e;
        }
    }

    private Map<String, Object> examine() throws InterruptedException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at", Instant.now().toString());
        fields.put("promises", promises(holdfast.guarantees()));
        try {
            Health health = holdfast.health(PATIENCE);
            fields.put("reachable", health.reachable());
            fields.put("roundTripMicros", health.roundTrip().toNanos() / 1000);
            fields.put("detail", health.detail());
            fields.put("findings", health.reachable() ? findings(holdfast.diagnose()) : List.of());
        } catch (HoldfastException e) {
            fields.put("reachable", false);
            fields.put("detail", String.valueOf(e.getMessage()));
            fields.put("findings", List.of());
        }
        return fields;
    }

    private static Map<String, Object> promises(Guarantees promised) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("exclusion", promised.exclusion());
        fields.put("token", promised.tokenSource());
        fields.put("waking", promised.waking().name().toLowerCase(Locale.ROOT));
        fields.put("fair", promised.fair());
        fields.put(
                "kinds",
                Arrays.stream(LockKind.values())
                        .map(kind -> kind(promised, kind))
                        .toList());
        return fields;
    }

    private static String kind(Guarantees promised, LockKind kind) {
        return promised.offers(kind) ? kind + "s" : "no " + kind + "s: " + promised.refusal(kind);
    }

    private static List<Map<String, Object>> findings(List<Finding> findings) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Finding each : findings) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("severity", each.severity().name().toLowerCase(Locale.ROOT));
            fields.put("code", each.code());
            fields.put("what", each.what());
            fields.put("remedy", each.remedy());
            all.add(fields);
        }
        return all;
    }
}

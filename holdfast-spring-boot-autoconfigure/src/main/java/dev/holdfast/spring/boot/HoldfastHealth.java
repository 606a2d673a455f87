package dev.holdfast.spring.boot;

import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Asks the store one small question, for the health indicators of the starters: their types differ between Boot 3 and 4, what they
 * say does not. Safe for use by many threads.
 */
public final class HoldfastHealth {
    private final Holdfast holdfast;
    private final Duration limit;

    HoldfastHealth(Holdfast holdfast, Duration limit) {
        this.holdfast = holdfast;
        this.limit = limit;
    }

    /**
     * Whether the store answered.
     *
     * @param details for people who look at the endpoint
     */
    public record Result(boolean isUp, Map<String, Object> details) {}

    /** Blocks until the store has answered, and at most for {@code holdfast.health.limit}. Never throws. */
    public Result check() {
        Map<String, Object> details = new LinkedHashMap<>();
        try {
            Health health = holdfast.health(limit);
            details.put("roundTripMillis", health.roundTrip().toMillis());
            details.put("names", health.names());
            if (!health.reachable()) {
                details.put("error", health.detail());
            }
            return new Result(health.reachable(), details);
        } catch (HoldfastException e) {
            details.put("error", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            details.put("error", "interrupted while the store was asked");
        }
        return new Result(false, details);
    }
}

package dev.holdfast.cli.run;

import dev.holdfast.FencingToken;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.cli.connect.StoreUrls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the environment says about the runs that this one is part of, and the variables for the command.
 *
 * @param held the leases of those around us, each as {@code pid:token:key}; the key of a lock is its name
 * @param withholdsUrl whether HOLDFAST_URL is not passed on to the command
 */
public record RunEnvironment(List<String> held, boolean withholdsUrl, boolean passesUrl) {
    static final String HELD = "HOLDFAST_HELD";
    static final String URL = "HOLDFAST_URL";

    public static RunEnvironment of(Map<String, String> environment, boolean passUrl) {
        return new RunEnvironment(
                Arrays.stream(environment.getOrDefault(HELD, "").split(" ", -1))
                        .filter(each -> !each.isEmpty())
                        .toList(),
                !passUrl && !environment.getOrDefault(URL, "").isEmpty(),
                passUrl);
    }

    /** Whether a run around this one took this, in whatever store, and may still hold it. */
    boolean mentions(LockKey key) {
        return held.stream().anyMatch(each -> each.endsWith(":" + encoded(key)));
    }

    /** Whether this tenure is that of a run around this one. Process and token together are not found twice. */
    boolean includes(LockState state) {
        return held.stream().anyMatch(each -> isLeaseOf(state, each.split(":", 3)));
    }

    /** The variable comes from outside: what cannot be read belongs to nobody. */
    private static boolean isLeaseOf(LockState state, String[] entry) {
        try {
            return entry.length == 3
                    && entry[0].equals(Long.toString(state.holder().pid()))
                    && entry[2].equals(encoded(state.key()))
                    && state.tokens().contains(new FencingToken(Long.parseLong(entry[1])));
        } catch (IllegalArgumentException notAToken) {
            return false;
        }
    }

    private static String entry(long pid, String token, LockKey key) {
        return pid + ":" + token + ":" + encoded(key);
    }

    private static String encoded(LockKey key) {
        return URLEncoder.encode(key.encoded(), StandardCharsets.UTF_8);
    }

    /**
     * The deadline is what is certain now: renewals move the end of the lease on, and a variable cannot follow. The command
     * may rely on the lock until then whatever happens, and after it for as long as it is allowed to live.
     */
    Map<String, Optional<String>> variables(LockKey key, Lease lease) {
        Instant deadline = Instant.now().plus(lease.remaining());
        String token = lease.token().toString();
        String ours = entry(ProcessHandle.current().pid(), token, key);
        Map<String, Optional<String>> variables = new LinkedHashMap<>();
        variables.put("HOLDFAST_NAME", Optional.of(lease.name()));
        variables.put("HOLDFAST_TOKEN", Optional.of(token));
        // Not that of a run around this one: the variables belong together.
        variables.put(
                "HOLDFAST_SLOT",
                key.kind() == LockKind.SEMAPHORE ? Optional.of(Integer.toString(lease.slot())) : Optional.empty());
        variables.put("HOLDFAST_DEADLINE", Optional.of(Long.toString(deadline.toEpochMilli())));
        variables.put(HELD, Optional.of(held.isEmpty() ? ours : String.join(" ", held) + " " + ours));
        if (withholdsUrl) {
            variables.put(URL, Optional.empty());
            variables.put(StoreUrls.WITHHELD, Optional.of("1"));
        }
        if (passesUrl) {
            variables.put(StoreUrls.WITHHELD, Optional.empty());
        }
        return variables;
    }
}

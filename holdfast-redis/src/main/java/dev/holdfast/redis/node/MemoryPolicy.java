package dev.holdfast.redis.node;

/**
 * Whether a server may remove keys to make room, as its INFO says. Locks expire, so every policy but {@code noeviction} may
 * take them, the {@code volatile-*} ones too.
 *
 * @param known false where we may not ask, or the server does not say
 * @param limited whether {@code maxmemory} is set: without a limit no policy removes anything
 * @param policy {@code maxmemory-policy}
 * @param evictedKeys how many keys it has removed so far, since its start or since its statistics were reset
 */
public record MemoryPolicy(boolean known, boolean limited, String policy, long evictedKeys) {
    /** What to do about a server that may remove held locks. */
    public static final String REMEDY = "Set maxmemory-policy noeviction, or give locks a server of their own.";

    public static final MemoryPolicy UNKNOWN = new MemoryPolicy(false, false, "", 0);

    public static MemoryPolicy of(ServerInfo info) {
        String policy = info.get("maxmemory_policy");
        if (policy.isEmpty() || info.get("maxmemory").isEmpty()) {
            return UNKNOWN;
        }
        return new MemoryPolicy(true, !info.get("maxmemory").equals("0"), policy, number(info.get("evicted_keys")));
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException notSaid) {
            return 0;
        }
    }

    /** Whether this server may forget a lock that is held, now or as soon as its memory is full. */
    public boolean mayEvict() {
        return known && limited && !policy.equals("noeviction");
    }

    /** What that means for locks. */
    public String danger() {
        return "When its memory is full this server removes keys (maxmemory-policy " + policy
                + "), held locks among them, because they expire; then somebody else gets the lock while its holder still"
                + " works. It has removed " + evictedKeys + " keys so far.";
    }

    /** How many keys it has removed since it said that. Statistics that were reset begin at zero again. */
    public long evictedSince(MemoryPolicy before) {
        return evictedKeys >= before.evictedKeys ? evictedKeys - before.evictedKeys : evictedKeys;
    }
}

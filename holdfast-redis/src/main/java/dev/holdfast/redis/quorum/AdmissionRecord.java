package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.RedisNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server of a quorum keeps of its admission.
 *
 * <pre>
 * admitted list:run_id:replid maxLease version servers
 * pending  list:run_id:replid maxLease nonce observed version servers
 * </pre>
 *
 * @param list the digest of the list of servers that it belongs to
 * @param nonce names the state in which it is watched; null if it was admitted
 * @param observedMillis for how long it has certainly been in that state
 * @param version grows when a server of the list is replaced
 * @param servers the list
 */
public record AdmissionRecord(
        String list,
        String memory,
        long maxLeaseMillis,
        @Nullable String nonce,
        long observedMillis,
        long version,
        String servers) {
    private static final Pattern FORM = Pattern.compile(
            "(?:admitted|pending) ([^: ]+):(\\S+) (\\d{1,18})(?: (\\S+) (\\d{1,18}))??(?: (\\d{1,9}) (\\S+))?");

    /** Null for what Holdfast did not write. */
    static @Nullable AdmissionRecord parse(String text) {
        Matcher fields = FORM.matcher(text);
        if (!fields.matches()) {
            return null;
        }
        String nonce = text.startsWith("pending") ? fields.group(4) : null;
        if (nonce == null && text.startsWith("pending")) {
            return null;
        }
        return new AdmissionRecord(
                fields.group(1),
                fields.group(2),
                Long.parseLong(fields.group(3)),
                nonce,
                nonce == null ? 0 : Long.parseLong(fields.group(5)),
                fields.group(6) == null ? 0 : Long.parseLong(fields.group(6)),
                fields.group(7) == null ? "" : fields.group(7));
    }

    boolean isAdmitted() {
        return nonce == null;
    }

    /** What the record of this server, one of that list, begins with if it may vote. */
    public static String admitted(ServerList servers, RedisNode.Identity server) {
        return "admitted " + servers.digest() + ":" + server.memory() + " ";
    }
}

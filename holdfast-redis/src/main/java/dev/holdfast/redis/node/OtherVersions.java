package dev.holdfast.redis.node;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * Looks for what clients of other wire versions keep at a server: they and we do not exclude each other. Their keys are counted
 * by name, never read and never touched. For a diagnosis only, because it goes through the keys of the server, page by page
 * and not without end.
 */
final class OtherVersions {
    static final String IN_USE = "redis.other-version";
    static final String LEFT = "redis.other-version-left";
    static final String UNKNOWN = "redis.other-version-unknown";

    private static final String KEYS_PER_PAGE = "1000";
    private static final int MOST_PAGES = 200;

    private final RedisNode node;
    private final Keys keys;
    private final BooleanSupplier over;
    private final CompletableFuture<List<Finding>> result = new CompletableFuture<>();
    // Only by one page after the other.
    private final Set<Integer> inUse = new TreeSet<>();
    private final Set<Integer> left = new TreeSet<>();

    private OtherVersions(RedisNode node, Keys keys, BooleanSupplier over) {
        this.node = node;
        this.keys = keys;
        this.over = over;
    }

    /**
     * What there is to say about them. Nothing where the user may not scan: locking does not need that.
     *
     * @param over whether nobody waits for the answer any more
     */
    static CompletionStage<List<Finding>> search(RedisNode node, Keys keys, BooleanSupplier over) {
        OtherVersions search = new OtherVersions(node, keys, over);
        search.page("0", MOST_PAGES);
        return search.result;
    }

    private void page(String cursor, int pages) {
        String[] arguments = {cursor, keys.otherVersionsPattern(), KEYS_PER_PAGE};
        var unused = node.eval(Script.SCAN, new String[0], arguments).whenComplete((found, failure) -> {
            if (failure != null) {
                result.complete(List.of());
                return;
            }
            Replies.Page page = Replies.Page.of(found);
            page.keys().forEach(this::add);
            // One lock that is in use says all there is to say.
            boolean known = page.isLast() || !inUse.isEmpty();
            if (known || pages == 1 || over.getAsBoolean()) {
                result.complete(findings(known));
            } else {
                page(page.nextCursor(), pages - 1);
            }
        });
    }

    private void add(String key) {
        Keys.OtherVersion other = keys.otherVersion(key);
        if (other != null) {
            (other.isInUse() ? inUse : left).add(other.version());
        }
    }

    private List<Finding> findings(boolean known) {
        if (!inUse.isEmpty()) {
            return List.of(new Finding(
                    IN_USE,
                    Severity.DANGER,
                    "Clients of another wire version hold locks here or wait for them: " + versions(inUse)
                            + ". They and this version do not exclude each other.",
                    "Stop the clients of the other version before those of this one are started, or give the two different"
                            + " names."));
        }
        if (!left.isEmpty()) {
            return List.of(Finding.note(
                    LEFT,
                    "Counters of another wire version are left here: " + versions(left)
                            + ". Nobody holds a lock or waits with it now. They do no harm."));
        }
        return known
                ? List.of()
                : List.of(Finding.note(
                        UNKNOWN,
                        "There are so many keys here that only a part was searched for locks of other wire versions; there"
                                + " are none in that part."));
    }

    private static String versions(Set<Integer> versions) {
        return "version "
                + String.join(", ", versions.stream().map(String::valueOf).toList());
    }
}

package dev.holdfast.spring;

import dev.holdfast.DistributedLock;
import dev.holdfast.MultiLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A lock that one call wants.
 *
 * @param position where it was declared among the locks of the method
 */
record LockRequest(DistributedLock lock, Duration maxWait, int position) {
    /**
     * In the order of their names that {@code lockAll} uses, too: whoever wants several takes them in the same order, so no two wait for each other. A name that
     * comes twice (a transfer from an account to itself) is taken once, on the terms that were declared first.
     */
    static List<LockRequest> inOrder(List<LockRequest> declared) {
        if (declared.size() == 1) {
            return declared;
        }
        Set<String> names = new HashSet<>();
        List<LockRequest> ordered = new ArrayList<>();
        for (LockRequest each : declared) {
            if (names.add(each.lock().name())) {
                ordered.add(each);
            }
        }
        ordered.sort(Comparator.comparing(each -> each.lock().name(), MultiLock.ORDER));
        return ordered;
    }
}

package dev.holdfast.jdbc.sql;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step saw of a key, under the bucket's mutex.
 *
 * @param counter the last token of the bucket
 * @param shares all rows, also those that have expired
 * @param queue all places in their order, also those that have expired
 */
record ShareLook(long nowMicros, long counter, List<Share> shares, List<ShareClaim> queue) {
    List<Share> held() {
        return shares.stream().filter(each -> !each.isOver(nowMicros)).toList();
    }

    /** Also if it has expired. */
    @Nullable
    Share shareOf(String owner) {
        return shares.stream().filter(each -> each.isOf(owner)).findFirst().orElse(null);
    }

    boolean hasPlace(String owner) {
        return queue.stream().anyMatch(each -> each.owner().equals(owner));
    }

    boolean hasExpiredPlace(String owner) {
        return queue.stream().anyMatch(each -> each.owner().equals(owner) && each.isOver(nowMicros));
    }

    /** Those whose places count, except that owner. */
    List<ShareClaim> lineWithout(String owner) {
        return queue.stream()
                .filter(each -> !each.isOver(nowMicros) && !each.owner().equals(owner))
                .toList();
    }

    /**
     * All holders as one row, for somebody who waits for any of them: it ends with the first of them that ends, and is as old
     * as the youngest. Null if there are none.
     */
    static @Nullable Row asOne(List<Share> held) {
        Row first = held.stream()
                .map(Share::row)
                .min(Comparator.comparingLong(Row::expiresMicros))
                .orElse(null);
        return first == null
                ? null
                : first.grantedAt(held.stream()
                        .mapToLong(each -> each.row().grantedMicros())
                        .max()
                        .getAsLong());
    }
}

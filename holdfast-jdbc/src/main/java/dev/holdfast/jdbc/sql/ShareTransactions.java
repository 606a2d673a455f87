package dev.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Transactions of {@link SharedSteps}: the bucket's mutex, a look at the key, a decision, and what it writes. */
interface ShareTransactions {
    /** Computes from what was seen what is to be done. Does no I/O. */
    interface Decision<T> {
        T make(ShareLook look, ShareChanges changes);
    }

    /** All in one transaction; who has to ask is told once it is committed. */
    <T> T run(Connection connection, String key, Decision<T> decision) throws SQLException;

    /** Without the mutex: to be shown, or to be compared with what is seen under it. Changes nothing. */
    ShareLook look(Connection connection, String key) throws SQLException;

    /** Where to tell them. */
    static List<String> inboxes(ShareChanges changes) {
        return changes.told().stream()
                .map(ShareClaim::inbox)
                .filter(inbox -> !inbox.isEmpty())
                .distinct()
                .toList();
    }
}

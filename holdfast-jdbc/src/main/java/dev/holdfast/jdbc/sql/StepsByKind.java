package dev.holdfast.jdbc.sql;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Sends locks one way and everything that may have several holders the other. */
public final class StepsByKind implements Steps {
    private final Steps locks;
    private final Steps shares;

    /** @param locks all that is not a lock is left to the other one */
    public StepsByKind(Steps locks, Steps shares) {
        this.locks = locks;
        this.shares = shares;
    }

    private static boolean isLock(String key) {
        return LockKey.kindOf(key) == LockKind.LOCK;
    }

    private Steps of(String key) {
        return isLock(key) ? locks : shares;
    }

    @Override
    public AcquireResult acquire(Connection connection, Claim claim, long notAfterMicros, String inbox)
            throws SQLException {
        return of(claim.key()).acquire(connection, claim, notAfterMicros, inbox);
    }

    @Override
    public @Nullable AcquireResult look(Connection connection, Claim claim) throws SQLException {
        return of(claim.key()).look(connection, claim);
    }

    @Override
    public ReleaseResult vacate(Connection connection, String key, String owner, long token) throws SQLException {
        return of(key).vacate(connection, key, owner, token);
    }

    @Override
    public ReleaseResult release(Connection connection, String key, String owner, long token) throws SQLException {
        return of(key).release(connection, key, owner, token);
    }

    @Override
    public ReleaseResult keep(Connection connection, String key, String owner, long token, long keepMicros)
            throws SQLException {
        return of(key).keep(connection, key, owner, token, keepMicros);
    }

    @Override
    public Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        Map<Boolean, List<Holding>> byTable =
                holdings.stream().collect(Collectors.groupingBy(each -> isLock(each.key())));
        Set<String> renewed = new HashSet<>();
        for (Map.Entry<Boolean, List<Holding>> each : byTable.entrySet()) {
            renewed.addAll((each.getKey() ? locks : shares).renew(connection, each.getValue()));
        }
        return renewed;
    }
}

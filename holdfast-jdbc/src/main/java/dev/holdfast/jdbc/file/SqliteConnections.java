package dev.holdfast.jdbc.file;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.StoreGoneException;
import dev.holdfast.jdbc.file.LockFile.Seen;
import dev.holdfast.jdbc.sql.Collision;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Connections to a SQLite file. Opening one costs more than a statement, so they are kept: each as long as the name still leads
 * to the file that it has open. An open connection keeps its file's inode from being used again, so device and inode tell
 * files apart while there is one; the random number inside tells them apart where there was none.
 */
public final class SqliteConnections implements ConnectionSource {
    private static final String URL_PREFIX = "jdbc:sqlite:";
    /** How long SQLite itself waits for another writer. Short, so that a release need not wait behind an acquire. */
    private static final int BUSY_MILLIS = 500;

    /** @param key of the file; {@link #id} is the random number in it */
    private record Store(Object key, long id) {}

    /** @param companions of the file, as they were when the connection was opened, and stay while it is */
    private record Opened(Store store, List<Object> companions) {}

    private final LockFile file;
    private final String url;
    private final SqliteTables tables;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private final ConcurrentMap<Connection, Opened> stores = new ConcurrentHashMap<>();
    private final StoreIdentity identity = new StoreIdentity();
    private volatile boolean closed;

    public SqliteConnections(Path name, Tables tables) {
        if (name.toString().indexOf('?') >= 0) {
            throw new IllegalArgumentException("SQLite's driver cannot open a path with a question mark: " + name);
        }
        this.file = new LockFile(name);
        this.url = URL_PREFIX + file.path();
        this.tables = new SqliteTables(tables);
    }

    /** The file that a URL names; null if it names none, or has settings that only the driver understands. */
    public static @Nullable Path fileOf(String url) {
        String name = url.startsWith(URL_PREFIX) ? url.substring(URL_PREFIX.length()) : "";
        return name.isEmpty() || name.startsWith(":") || name.startsWith("file:") || name.indexOf('?') >= 0
                ? null
                : Path.of(name);
    }

    @Override
    public Connection take() throws SQLException {
        return take(false);
    }

    @Override
    public Connection takeOrCreate() throws SQLException {
        return take(true);
    }

    private Connection take(boolean create) throws SQLException {
        Seen seen = file.look();
        for (Connection kept = idle.poll(); kept != null; kept = idle.poll()) {
            if (leadsTo(kept, seen)) {
                return kept;
            }
            // Before it is closed: while it is open SQLite itself does not remove the companions, so somebody else did.
            look();
            forgetLocksIfAlone(kept, seen);
            discard(kept);
        }
        if (seen == null && !create) {
            adopt(null);
            throw new StoreGoneException(file.goneText());
        }
        return open();
    }

    private boolean leadsTo(Connection connection, @Nullable Seen seen) {
        Opened opened = stores.get(connection);
        return opened != null && isThere(opened, seen);
    }

    /** If the file is the same but nobody else reads what this connection writes, its locks are deleted. */
    private void forgetLocksIfAlone(Connection connection, @Nullable Seen seen) {
        Opened opened = stores.get(connection);
        if (opened != null && seen != null && opened.store().key().equals(seen.key()) && !isThere(opened, seen)) {
            tables.forgetLocks(connection);
        }
    }

    /** Whether whoever opens the file by its name now reads what this connection writes. */
    private boolean isThere(Opened opened, @Nullable Seen seen) {
        return seen != null
                && opened.store().key().equals(seen.key())
                && opened.companions().equals(file.lookAtCompanions());
    }

    private Connection open() throws SQLException {
        file.createIfMissing();
        Seen before = file.look();
        if (before != null
                && !(identity.known() instanceof Store last && last.key().equals(before.key()))) {
            file.requireUsable(before);
        }
        Connection opened = DriverManager.getConnection(url);
        try {
            Sql.execute(opened, "PRAGMA busy_timeout = " + BUSY_MILLIS);
            Sql.execute(opened, "PRAGMA journal_mode = WAL");
            // Survives the crash of a process. After one of the machine no process is left that could hold anything,
            // and tokens go on from the clock.
            Sql.execute(opened, "PRAGMA synchronous = NORMAL");
            long id = tables.prepare(opened);
            Seen after = file.look();
            if (before == null || after == null || !before.key().equals(after.key())) {
                throw new Collision("the lock file was replaced while it was opened");
            }
            Store store = new Store(after.key(), id);
            stores.put(opened, new Opened(store, file.lookAtCompanions()));
            adopt(store);
            return opened;
        } catch (SQLException | RuntimeException e) {
            discard(opened);
            throw e;
        }
    }

    private void adopt(@Nullable Store store) {
        identity.adopt(store, file.goneText());
    }

    @Override
    public void confirm(Connection connection) throws SQLException {
        Opened opened = stores.get(connection);
        Seen seen = file.look();
        boolean leadsThere = leadsTo(connection, seen);
        if (opened != null
                && leadsThere
                && tables.hasId(connection, opened.store().id())) {
            return;
        }
        if (!isNewerInUse(opened, leadsThere, seen)) {
            adopt(null);
        }
        forgetLocksIfAlone(connection, seen);
        stores.remove(connection);
        throw new StoreGoneException(file.goneText());
    }

    /** Whether other connections already use the file that is there now: then only this connection is useless. */
    private boolean isNewerInUse(@Nullable Opened old, boolean oldLeadsThere, @Nullable Seen seen) {
        if (seen == null
                || !(identity.known() instanceof Store known)
                || !known.key().equals(seen.key())) {
            return false;
        }
        boolean another = old == null || !known.equals(old.store());
        return another || (!oldLeadsThere && stores.values().stream().anyMatch(each -> isThere(each, seen)));
    }

    @Override
    public boolean canBeReplaced() {
        return true;
    }

    @Override
    public void look() {
        Seen seen;
        try {
            seen = file.look();
        } catch (UncheckedIOException e) {
            // The next step fails in the same way, and reports it.
            return;
        }
        if (identity.known() instanceof Store store && (seen == null || !isInUse(store, seen))) {
            adopt(null);
        }
    }

    /** Without an open connection the companions may be gone: SQLite itself removes them with the last one. */
    private boolean isInUse(Store store, Seen seen) {
        List<Opened> open = stores.values().stream()
                .filter(each -> each.store().equals(store))
                .toList();
        return seen.key().equals(store.key())
                && (open.isEmpty() || open.stream().anyMatch(each -> isThere(each, seen)));
    }

    @Override
    public void whenReplaced(Runnable action) {
        identity.whenReplaced(action);
    }

    @Override
    public @Nullable String replacement() {
        return identity.replacement();
    }

    @Override
    public List<Finding> findings() {
        return file.findings();
    }

    @Override
    public void giveBack(Connection connection) throws SQLException {
        if (stores.containsKey(connection)) {
            idle.push(connection);
        } else {
            discard(connection);
        }
        if (closed) {
            close();
        }
    }

    private void discard(Connection connection) {
        stores.remove(connection);
        try {
            connection.close();
        } catch (SQLException e) {
            // Nothing can be done about it, and nothing depends on it.
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Connection each = idle.poll(); each != null; each = idle.poll()) {
            discard(each);
        }
    }
}

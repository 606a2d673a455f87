package dev.holdfast.jdbc.file;

import dev.holdfast.Finding;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.StoreGoneException;
import dev.holdfast.jdbc.file.LockFile.Seen;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connections of a DataSource whose database is a file. Each connection is checked once: a process that opens the file by its
 * name must read what the connection writes. From then on device and inode are compared.
 */
public final class FileBackedSource implements ConnectionSource {
    /**
     * What a connection leads to.
     *
     * @param file null if there is nothing that could be replaced
     * @param companions as they were then
     */
    private record Proof(@Nullable LockFile file, Object key, List<Object> companions) {
        static final Proof NO_FILE = new Proof(null, "", List.of());
    }

    private final ConnectionSource source;
    private final StoreFile files;
    private final Map<Connection, Proof> proofs = Collections.synchronizedMap(new WeakHashMap<>());
    private final StoreIdentity identity = new StoreIdentity();
    private volatile @Nullable LockFile used;
    // Racy, and benign: of two connections that are proven at once both see the same.
    private volatile List<Object> lastCompanions = List.of();

    public FileBackedSource(ConnectionSource source, StoreFile files) {
        this.source = source;
        this.files = files;
    }

    @Override
    public Connection take() throws SQLException {
        return source.take();
    }

    @Override
    public void giveBack(Connection connection) throws SQLException {
        source.giveBack(connection);
    }

    @Override
    public void confirm(Connection connection) throws SQLException {
        Connection physical =
                connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
        Proof proof = proofs.get(physical);
        if (proof == null) {
            proof = prove(connection);
            proofs.put(physical, proof);
        }
        LockFile file = proof.file();
        if (file != null) {
            Seen seen = file.look();
            if (seen == null || !seen.key().equals(proof.key())) {
                throw gone(file);
            }
            if (!areThere(proof.companions(), files.companions(file))) {
                throw cutOff(connection, proof, file);
            }
        }
    }

    /** A companion that was not there at first may appear: then SQLite made it. */
    private static boolean areThere(List<Object> companions, List<Object> now) {
        for (int i = 0; i < companions.size(); i++) {
            if (!companions.get(i).equals("") && !companions.get(i).equals(now.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** SQLite does not remove its log while a connection is open: somebody else did. */
    private StoreGoneException cutOff(Connection connection, Proof proof, LockFile file) {
        files.abandon(connection);
        // Connections that were proven after this one may have found the store as it is now.
        if (proof.companions().equals(lastCompanions)) {
            identity.adopt(null, goneText(file));
        }
        return new StoreGoneException(goneText(file));
    }

    private static String goneText(LockFile file) {
        return file.goneText() + ". Connections that a pool keeps lead to the old file until they are closed";
    }

    private Proof prove(Connection connection) throws SQLException {
        LockFile file = files.behind(connection);
        if (file == null) {
            return Proof.NO_FILE;
        }
        Seen before = file.look();
        if (before == null && used == null && files.mayBeElsewhere()) {
            return Proof.NO_FILE;
        }
        if (before == null) {
            throw gone(file);
        }
        boolean found =
                files.isFoundByName(connection, file, before, !before.key().equals(identity.known()));
        Seen after = file.look();
        if (!found || after == null || !after.key().equals(before.key())) {
            throw gone(file);
        }
        used = file;
        Proof proof = new Proof(file, after.key(), files.companions(file));
        lastCompanions = proof.companions();
        identity.adopt(after.key(), file.goneText());
        return proof;
    }

    private StoreGoneException gone(LockFile file) {
        String what = goneText(file);
        Seen seen = file.look();
        // If other connections use the file that is there now, only this connection of the pool is out of date.
        if (seen == null || !seen.key().equals(identity.known())) {
            identity.adopt(null, what);
        }
        return new StoreGoneException(what);
    }

    @Override
    public boolean canBeReplaced() {
        return used != null;
    }

    @Override
    public void look() {
        LockFile file = used;
        Object known = identity.known();
        if (file == null || known == null) {
            return;
        }
        try {
            Seen seen = file.look();
            if (seen == null || !seen.key().equals(known)) {
                identity.adopt(null, file.goneText());
            }
        } catch (UncheckedIOException e) {
            // The next step fails in the same way, and reports it.
        }
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
        LockFile file = used;
        return file == null ? List.of() : file.findings();
    }

    @Override
    public void close() {
        source.close();
    }
}

package dev.holdfast.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.benchmarks.Contender;
import dev.holdfast.benchmarks.sidebyside.OnStore;
import dev.holdfast.benchmarks.sidebyside.Peer;
import dev.holdfast.benchmarks.sidebyside.Workload;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;

/** What {@code ./bench} measures on PostgreSQL, whose commits wait for the disk as they do unless told otherwise. */
public final class JdbcWorkloads {
    private static final Peer US =
            peer("Holdfast on PostgreSQL", "JdbcBackend.over(pool), all defaults", HoldfastContender::new);
    private static final Peer SPRING = peer(
            "Spring JdbcLockRegistry", "DefaultLockRepository, all defaults: asks every 100 ms", SpringContender::new);
    private static final Peer SHEDLOCK = peer(
            "ShedLock on PostgreSQL",
            "JdbcTemplateLockProvider, usingDbTime(); it does not wait",
            ShedLockContender::new);

    private JdbcWorkloads() {}

    /** All of them. */
    public static List<Workload> all() {
        return List.of(
                OnStore.uncontended("jdbc-4", "PostgreSQL", 4, () -> new Server(true), List.of(US, SPRING, SHEDLOCK)),
                OnStore.hot("jdbc-hot", "PostgreSQL", () -> new Server(true), List.of(US, SPRING)));
    }

    private static Peer peer(String name, String setUp, Function<DataSource, Contender> maker) {
        return Contender.peer(name, setUp + "; a pool of 8", url -> new Pooled(url, maker));
    }

    /** A contender with a pool of its own. */
    private static final class Pooled implements Contender {
        private final HikariDataSource pool;
        private final Contender contender;

        Pooled(String url, Function<DataSource, Contender> maker) {
            pool = Server.pool(url);
            contender = maker.apply(pool);
        }

        @Override
        public String name() {
            return contender.name();
        }

        @Override
        public Runnable lock(String name) throws Exception {
            return contender.lock(name);
        }

        @Override
        public void close() {
            contender.close();
            pool.close();
        }
    }
}

package dev.holdfast.spring.boot;

import static dev.holdfast.spring.boot.Contexts.failsWith;
import static dev.holdfast.spring.boot.Contexts.newDatabase;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.etcd.EtcdBackend;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which store is chosen from what an application has, and what is said where none can be. */
class BackendSelectionTest {
    private final ApplicationContextRunner runner = Contexts.runner();

    @Test
    void withoutAStoreEachIsNamedWithWhatItLacks() {
        runner.withClassLoader(new FilteredClassLoader(RedisBackend.class))
                .run(failsWith(
                        "no store for its locks",
                        "redis: dev.holdfast:holdfast-redis is not on the class path",
                        "jdbc: there is no bean of type DataSource",
                        "zookeeper: there is no bean of type CuratorFramework",
                        "holdfast.url"));
    }

    @Test
    void theOnlyStoreIsUsed() {
        runner.withBean(DataSource.class, Contexts::newDatabase)
                .withPropertyValues("holdfast.jdbc.initialize-schema=always", "spring.application.name=shop")
                .run(context -> {
                    Holdfast holdfast = context.getBean(Holdfast.class);
                    try (Lease lease = holdfast.lock("a").acquire()) {
                        assertThat(lease.isValid()).isTrue();
                        assertThat(holdfast.inspect("a").orElseThrow().holder().description())
                                .isEqualTo("shop");
                    }
                    assertThat(context.getBean(BackendChoice.class).kind()).isEqualTo(BackendKind.JDBC);
                });
    }

    @Test
    void ofSeveralStoresNoneIsGuessed() {
        ApplicationContextRunner several = runner.withBean(DataSource.class, Contexts::newDatabase)
                .withBean(CuratorFramework.class, BackendSelectionTest::framework)
                .withPropertyValues("holdfast.jdbc.initialize-schema=always");
        several.run(failsWith("several places", "jdbc, zookeeper", "Set holdfast.backend to one of jdbc, zookeeper"));
        several.withPropertyValues("holdfast.backend=jdbc")
                .run(context -> assertThat(kind(context)).isEqualTo(BackendKind.JDBC));
        several.withPropertyValues("holdfast.backend=zookeeper")
                .run(context -> assertThat(kind(context)).isEqualTo(BackendKind.ZOOKEEPER));
    }

    @Test
    void aStoreThatWasNamedAndIsNotThereIsToldWithItsDependency() {
        runner.withPropertyValues("holdfast.backend=redis")
                .run(failsWith("there is no bean of type LettuceConnectionFactory", "set holdfast.url"));
        runner.withPropertyValues("holdfast.backend=zookeeper")
                .withClassLoader(new FilteredClassLoader(ZooKeeperBackend.class))
                .run(failsWith("Add the dependency dev.holdfast:holdfast-zookeeper"));
    }

    @Test
    void ofSeveralClientsThePrimaryOrTheNamedOneIsUsed() {
        DataSource first = newDatabase();
        DataSource second = newDatabase();
        ApplicationContextRunner two = runner.withBean("first", DataSource.class, () -> first)
                .withBean("second", DataSource.class, () -> second)
                .withPropertyValues("holdfast.jdbc.initialize-schema=always");
        two.run(failsWith("several beans of type DataSource", "first", "second", "holdfast.client"));
        two.withPropertyValues("holdfast.client=second").run(context -> {
            assertThat(context.getBean(BackendChoice.class).clientBean()).isEqualTo("second");
            JdbcBackend.over(second).connect().close();
            assertThat(second.getConnection()
                            .getMetaData()
                            .getTables(null, null, "HOLDFAST_LOCK", null)
                            .next())
                    .isTrue();
            assertThat(first.getConnection()
                            .getMetaData()
                            .getTables(null, null, "HOLDFAST_LOCK", null)
                            .next())
                    .isFalse();
        });
        two.withPropertyValues("holdfast.client=third").run(failsWith("no DataSource of that name", "[first, second]"));
        runner.withBean("first", DataSource.class, () -> first)
                .withBean("second", DataSource.class, () -> second, definition -> definition.setPrimary(true))
                .withPropertyValues("holdfast.jdbc.initialize-schema=always")
                .run(context -> assertThat(context.getBean(BackendChoice.class).clientBean())
                        .isEqualTo("second"));
    }

    @Test
    void whatTheApplicationDefinesComesFirst() {
        InMemoryBackend own = new InMemoryBackend();
        runner.withBean(LockBackend.class, () -> own)
                .withPropertyValues("holdfast.url=redis://127.0.0.1:1")
                .run(context -> {
                    try (Lease lease = context.getBean(Holdfast.class).lock("a").acquire()) {
                        assertThat(lease.isValid()).isTrue();
                        assertThat(Holdfast.over(own.another()).inspect("a")).isPresent();
                    }
                });
        Holdfast ready = Holdfast.over(new InMemoryBackend());
        runner.withBean(Holdfast.class, () -> ready).run(context -> {
            assertThat(context.getBean(Holdfast.class)).isSameAs(ready);
            assertThat(context).doesNotHaveBean(BackendChoice.class).hasSingleBean(HoldfastLifecycle.class);
        });
    }

    @Test
    void aUrlIsReadAndAWrongOneExplained() {
        runner.withPropertyValues("holdfast.url=memory:")
                .run(context -> assertThat(kind(context)).isEqualTo(BackendKind.MEMORY));
        String url = "jdbc:h2:mem:byurl;DB_CLOSE_DELAY=-1";
        runner.withPropertyValues("holdfast.url=" + url, "holdfast.jdbc.initialize-schema=always")
                .run(context -> assertThat(kind(context)).isEqualTo(BackendKind.JDBC));
        runner.withPropertyValues("holdfast.url=redsi://user:hunter2@host").run(context -> {
            failsWith("holdfast.url does not begin as", "redis://host:6379").accept(context);
            assertThat(context.getStartupFailure()).hasStackTraceContaining("holdfast.url");
            assertThat(String.valueOf(context.getStartupFailure())).doesNotContain("hunter2");
        });
        runner.withPropertyValues("holdfast.url=redis://host:port")
                .run(failsWith("The property holdfast.url cannot be used", "redis://host:6379"));
        runner.withPropertyValues("holdfast.url=redis://host", "holdfast.backend=jdbc")
                .run(failsWith("holdfast.backend is jdbc, and holdfast.url is that of redis"));
        runner.withPropertyValues("holdfast.url=jdbc:h2:mem:x")
                .withClassLoader(new FilteredClassLoader(JdbcBackend.class))
                .run(failsWith("Add the dependency dev.holdfast:holdfast-jdbc"));
    }

    @Test
    void aStoreThatCannotBeReachedIsNamed() {
        runner.withPropertyValues("holdfast.url=redis://127.0.0.1:1")
                .run(failsWith("cannot store locks in redis by holdfast.url", "127.0.0.1:1", "Start that store"));
    }

    @Test
    void etcdIsChosenByItsUrlAndByNothingElse() {
        runner.withPropertyValues("holdfast.url=etcd://127.0.0.1:1/shop")
                .run(context -> assertThat(kind(context)).isEqualTo(BackendKind.ETCD));
        runner.withPropertyValues("holdfast.backend=etcd").run(failsWith("etcd", "holdfast.url is not set"));
        runner.withPropertyValues("holdfast.backend=etcd")
                .withClassLoader(new FilteredClassLoader(EtcdBackend.class))
                .run(failsWith("Add the dependency dev.holdfast:holdfast-etcd"));
    }

    @Test
    void aMasterWithReplicasThatNobodyWatchesIsRefused() {
        // Used to lead to localhost, where another server may well be.
        over(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1)))
                .run(failsWith(
                        "leads to a master with replicas",
                        "Set holdfast.url",
                        "a failover would lose locks unnoticed"));
    }

    @Test
    void sentinelsAndClustersThatCannotBeReachedAreNamed() {
        over(new LettuceConnectionFactory(
                        new RedisSentinelConfiguration().master("shop").sentinel("127.0.0.1", 1)))
                .run(failsWith("cannot store locks in redis through the bean", "sentinel master shop"));
        over(new LettuceConnectionFactory(new RedisClusterConfiguration().clusterNode("127.0.0.1", 1)))
                .run(failsWith("cannot store locks in redis through the bean", "127.0.0.1:1"));
        runner.withPropertyValues("holdfast.url=redis+sentinel://127.0.0.1:1/shop")
                .run(failsWith("cannot store locks in redis by holdfast.url", "master shop"));
        runner.withPropertyValues("holdfast.url=redis+cluster://127.0.0.1:1")
                .run(failsWith("cannot store locks in redis by holdfast.url", "127.0.0.1:1"));
        runner.withPropertyValues("holdfast.url=redis+sentinel://127.0.0.1:1")
                .run(failsWith("The property holdfast.url cannot be used", "name of the master"));
    }

    private ApplicationContextRunner over(LettuceConnectionFactory factory) {
        return runner.withBean(LettuceConnectionFactory.class, () -> factory);
    }

    @Test
    void whatGrantsWaitForMustFitTogether() {
        ApplicationContextRunner redis = runner.withPropertyValues("holdfast.url=redis://127.0.0.1:1");
        redis.withPropertyValues("holdfast.redis.wait-for-replicas=0")
                .run(failsWith("holdfast.redis.wait-for-replicas", "from 1 to 100: 0"));
        redis.withPropertyValues("holdfast.redis.wait-for-disk=-1")
                .run(failsWith("holdfast.redis.wait-for-disk", "from 0 to 100: -1"));
        redis.withPropertyValues("holdfast.redis.wait-for-disk=0", "holdfast.redis.wait-time=3s")
                .run(failsWith("The property holdfast.redis.wait-time cannot be used", "half of the commandTimeout"));
        redis.withPropertyValues("holdfast.redis.wait-for-disk=1", "holdfast.redis.wait-for-replicas=1")
                .run(failsWith("Both", "Remove wait-for-replicas"));
        redis.withPropertyValues("holdfast.redis.wait-time=1s")
                .run(failsWith("nothing says what is waited for", "wait-for-replicas"));
        for (String wait : new String[] {"wait-for-replicas=1", "wait-for-disk=0", "wait-time=1s"}) {
            runner.withPropertyValues(
                            "holdfast.url=redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", "holdfast.redis." + wait)
                    .run(failsWith("holdfast.redis." + wait.split("=", 2)[0], "quorum"));
        }
    }

    @Test
    void aPropertyThatIsRefusedIsNamed() {
        ApplicationContextRunner memory = runner.withPropertyValues("holdfast.backend=memory");
        memory.withPropertyValues("holdfast.cohort=0").run(failsWith("holdfast.cohort", "from 1 to 1000", ": 0"));
        memory.withPropertyValues("holdfast.health.limit=0s")
                .run(failsWith("holdfast.health.limit", "must be positive"));
        memory.withPropertyValues("holdfast.lease=2m").run(failsWith("holdfast.lease", "60"));
        runner.withPropertyValues("holdfast.url=redis://127.0.0.1:1", "holdfast.redis.claim-window=1ms")
                .run(failsWith("holdfast.redis.claim-window", "from 10 ms"));
        runner.withPropertyValues("holdfast.url=zookeeper://127.0.0.1:1", "holdfast.zookeeper.session-timeout=5s")
                .run(failsWith("holdfast.zookeeper.session-timeout", "5"));
        runner.withPropertyValues("holdfast.url=jdbc:h2:mem:x", "holdfast.jdbc.connections=0")
                .run(failsWith("holdfast.jdbc.connections", "at least 1: 0"));
    }

    private static BackendKind kind(ApplicationContext context) {
        return context.getBean(BackendChoice.class).kind();
    }

    private static CuratorFramework framework() {
        return CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(1));
    }
}

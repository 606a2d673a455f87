package dev.holdfast.spring.boot;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Holdfast. What is not set has the default of the class that it goes to, which also checks what is set.
 *
 * @param backend Where locks are stored. Needed only if the application has clients for several stores.
 * @param url The store, by its URL, with connections of Holdfast's own: redis://, redis+sentinel://, redis+cluster://, redlock://,
 *     jdbc:, zookeeper://, etcd://. Instead of a client of the application.
 * @param client Name of the bean that leads to the store: a connection factory, a DataSource or a CuratorFramework. Needed only if there
 *     are several of them.
 * @param lease How long the store keeps a lock if this process dies; 30 s unless set.
 * @param maxLease The longest lease that is accepted; 60 s unless set.
 * @param unavailableAfter How long a call without a limit keeps trying while the store cannot be reached; 10 s unless set.
 * @param closeGrace How long the end of the application waits for open leases to be closed; 5 s unless set.
 * @param cohort How many leases in a row this process serves before the lock goes to another one; 16 unless set.
 * @param description What operators read beside host and process id; the name of the application unless set.
 * @param fenceGeneration Generation of the guards of fenced methods. Change it together with the store of the locks.
 */
@ConfigurationProperties("holdfast")
record HoldfastProperties(
        @Nullable BackendKind backend,
        @Nullable String url,
        @Nullable String client,
        @Nullable Duration lease,
        @Nullable Duration maxLease,
        @Nullable Duration unavailableAfter,
        @Nullable Duration closeGrace,
        @Nullable Integer cohort,
        @Nullable String description,
        @DefaultValue("0") int fenceGeneration,
        @DefaultValue Redis redis,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Zookeeper zookeeper,
        @DefaultValue Health health,
        @DefaultValue Dashboard dashboard) {

    /**
     * For locks in Redis.
     *
     * @param namespace Keeps the locks of an application or environment apart from those of others on the same server.
     * @param claimWindow How long a waiter that was given the lock has to confirm it; 2 s unless set.
     * @param commandTimeout How long the server may take to answer one request; 2 s unless set, 100 ms for redlock://.
     * @param waitForReplicas How many replicas must have received a grant before it counts; none unless set. Not for redlock://.
     * @param waitForDisk How many replicas must have written a grant to their append-only files, besides the server itself, before it
     *     counts. Needs Redis 7.2 with appendonly yes. Not for redlock://.
     * @param waitTime How long a grant may wait for replicas or disks, at most half of the command timeout; 500 ms unless set.
     */
    record Redis(
            @Nullable String namespace,
            @Nullable Duration claimWindow,
            @Nullable Duration commandTimeout,
            @Nullable Integer waitForReplicas,
            @Nullable Integer waitForDisk,
            @Nullable Duration waitTime) {}

    /**
     * For locks and guards in a database.
     *
     * @param initializeSchema Whether missing tables are created at the start, those of the locks and those of the guards of fenced
     *     methods.
     * @param tablePrefix Prefix of the tables of the locks, with a schema if needed; holdfast_ unless set.
     * @param commandTimeout How long a step may take, including the wait for a connection; 5 s unless set.
     * @param connections How many connections may be in use at once, not counting the listening one; 8 unless set.
     */
    record Jdbc(
            @DefaultValue("never") InitializeSchema initializeSchema,
            @Nullable String tablePrefix,
            @Nullable Duration commandTimeout,
            @Nullable Integer connections) {}

    /** Whether tables are created. */
    enum InitializeSchema {
        /** The application creates them by a migration. */
        NEVER,
        /** Created where they are missing. */
        ALWAYS
    }

    /**
     * For locks in ZooKeeper.
     *
     * @param namespace The node below which all locks are; holdfast unless set.
     * @param tickTime The tickTime of the servers; 2 s unless set.
     * @param syncLimit The syncLimit of the servers, in ticks; 5 unless set.
     * @param sessionTimeout The session timeout. For a CuratorFramework of the application, the one it has; 30 s unless set.
     */
    record Zookeeper(
            @Nullable String namespace,
            @Nullable Duration tickTime,
            @Nullable Integer syncLimit,
            @Nullable Duration sessionTimeout) {}

    /**
     * For the console in the browser, if holdfast-dashboard is there.
     *
     * @param enabled Whether the console is served, on a port of its own.
     * @param port Its port; any that is free unless set.
     * @param address The address it listens on; loopback unless set. Any other one needs a password.
     * @param hosts Names that browsers call it by, besides localhost and addresses: of a proxy, for instance.
     * @param password Whoever knows it may enter, besides whoever has a link. At least 8 characters.
     * @param readOnly Whether nothing can be broken there.
     */
    record Dashboard(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("0") int port,
            @Nullable InetAddress address,
            @DefaultValue List<String> hosts,
            @Nullable String password,
            @DefaultValue("true") boolean readOnly) {}

    /**
     * For the health endpoint.
     *
     * @param limit How long the store may take to answer before it counts as down.
     */
    record Health(@DefaultValue("1s") Duration limit) {
        Health {
            if (limit.isNegative() || limit.isZero()) {
                throw new HoldfastStartupException(
                        "The property holdfast.health.limit cannot be used: it must be positive, and is " + limit + ".",
                        "Change holdfast.health.limit.",
                        null);
            }
        }
    }
}

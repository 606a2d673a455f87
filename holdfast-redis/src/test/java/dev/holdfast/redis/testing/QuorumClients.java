package dev.holdfast.redis.testing;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.LockListener;
import dev.holdfast.redis.RedlockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Clients of a quorum with short leases, and what they were told. Closes what it opened, the last first. */
public final class QuorumClients implements AutoCloseable {
    private final Five five;
    private final Duration maxLease;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Queue<String> notices = new ConcurrentLinkedQueue<>();

    /** @param maxLease the longest lease, and the one that clients take */
    public QuorumClients(Five five, Duration maxLease) {
        this.five = five;
        this.maxLease = maxLease;
    }

    /** What the backends of all clients have told: where, and what. */
    public Queue<String> notices() {
        return notices;
    }

    /** Nodes get as long as a busy machine may take. */
    public RedlockBackend.Builder builder(String url) {
        return RedlockBackend.builder(url).maxLease(maxLease).nodeTimeout(maxLease.dividedBy(2));
    }

    /** For what is done once, and not for leases: servers get as long as they may be given. */
    public RedlockBackend.Builder patientBuilder(String url) {
        return builder(url).nodeTimeout(Patient.NODE_TIMEOUT);
    }

    /** Of all servers, each reached directly. */
    public Holdfast client() {
        return client(five.url());
    }

    public Holdfast client(String url) {
        return client(builder(url));
    }

    /** One whose claims are to be refused: by what servers say, and not because they say nothing in time. */
    public Holdfast patientClient(String url) {
        return client(patientBuilder(url));
    }

    private Holdfast client(RedlockBackend.Builder builder) {
        Holdfast holdfast = Holdfast.builder(Patient.connect(builder::connect))
                .lease(maxLease)
                .maxLease(maxLease)
                .closeGrace(Duration.ofMillis(100))
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        notices.add(notice.source() + " " + notice.text());
                    }
                })
                .build();
        return closing(holdfast);
    }

    /** A client for which the servers with these numbers are out of reach. */
    public Holdfast clientWithout(int... unreachable) {
        List<Integer> ports = new ArrayList<>();
        five.servers.forEach(server -> ports.add(server.port()));
        for (int index : unreachable) {
            Proxy wall = closing(new Proxy(five.get(index).port()));
            wall.cut();
            ports.set(index, wall.port());
        }
        return client(Five.url(ports));
    }

    /** Closed with the clients. */
    public <T extends AutoCloseable> T closing(T resource) {
        opened.add(resource);
        return resource;
    }

    @Override
    public void close() {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (Exception e) {
                throw new AssertionError("A resource of the test cannot be closed", e);
            }
        }
    }
}

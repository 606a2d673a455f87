package dev.holdfast.proving.ground;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogReader;
import dev.holdfast.proving.log.LogWriter;
import dev.holdfast.proving.machine.ClientProcess;
import dev.holdfast.proving.machine.Link;
import dev.holdfast.proving.subject.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A subject with its three client processes, each with a link of its own to each server. For one thread at a time. */
public final class Contestant {
    public static final int CLIENTS = 3;
    private static final long READY_MILLIS = TimeUnit.SECONDS.toMillis(90);
    private static final long STOP_MILLIS = TimeUnit.SECONDS.toMillis(12);

    private final Machine machine;
    private final Ground ground;
    private final Subject subject;
    private final List<List<Link>> links = new ArrayList<>();
    private final List<ClientProcess> clients = new ArrayList<>();
    private final int[] incarnations = new int[CLIENTS];
    private final boolean[] frozen = new boolean[CLIENTS];
    private final boolean[] ready = new boolean[CLIENTS];
    private final boolean[] clockMoved = new boolean[CLIENTS];
    private @Nullable LogWriter log;
    private @Nullable Path folder;
    private String name = "";
    private int holder;

    Contestant(Machine machine, Ground ground, Subject subject) throws IOException {
        this.machine = machine;
        this.ground = ground;
        this.subject = subject;
        for (int i = 0; i < CLIENTS; i++) {
            links.add(ground.servers().areReachedByPort() ? newLinks() : List.of());
            clients.add(start(i));
        }
    }

    private List<Link> newLinks() throws IOException {
        List<Link> ways = new ArrayList<>();
        for (int port : ground.servers().ports()) {
            ways.add(ground.network().link(port));
        }
        return List.copyOf(ways);
    }

    private List<Integer> ports(int client) {
        return ground.servers().areReachedByPort()
                ? links.get(client).stream().map(Link::port).toList()
                : ground.servers().ports();
    }

    private ClientProcess start(int client) throws IOException {
        incarnations[client]++;
        frozen[client] = false;
        ready[client] = false;
        clockMoved[client] = false;
        List<String> arguments = new ArrayList<>(List.of(
                subject.id(),
                id(client),
                Long.toString(ground.lease().toMillis()),
                Integer.toString(ground.resource().port())));
        ports(client).forEach(port -> arguments.add(Integer.toString(port)));
        String file = subject.id() + "-" + client;
        return new ClientProcess(machine, file, machine.folder().resolve(file + ".clock"), arguments);
    }

    /** In the log: a letter for the seat, a number for the process in it. */
    public String id(int client) {
        return "abc".charAt(client) + Integer.toString(incarnations[client]);
    }

    public Subject subject() {
        return subject;
    }

    /** Empty where clients go past our network. */
    public List<Link> links(int client) {
        return links.get(client);
    }

    /** The client that holds the lock when the fault comes. */
    public int holder() {
        return holder;
    }

    public void chooseHolder(int client) {
        holder = client;
    }

    public void note(Kind kind, @Nullable Object... fields) {
        writer().write(Event.ofRunner(System.nanoTime(), kind, fields));
    }

    private void noteClient(Kind kind, int client) {
        if (log != null) {
            log.write(Event.of(System.nanoTime(), kind, id(client), 0));
        }
    }

    /** What the watch of the runner saw. */
    public void noteStall(long from, long to) {
        LogWriter current = log;
        if (current != null) {
            current.write(Event.ofRunner(to, Kind.STALL, "from", from));
        }
    }

    private LogWriter writer() {
        return Objects.requireNonNull(log, "no trial is under way");
    }

    // ---- a trial

    /** All clients begin to ask for a new lock. */
    public void begin(String trial, Path trialFolder, Random random, int holder)
            throws IOException, InterruptedException {
        awaitReady();
        folder = Files.createDirectories(trialFolder.resolve(subject.id()));
        log = new LogWriter(folder.resolve("runner" + LogReader.ENDING));
        name = ground.servers().lockName(trial + "-" + subject.id(), subject::redisKey);
        this.holder = holder;
        ground.resource().open(name, writer());
        for (int i = 0; i < CLIENTS; i++) {
            startWork(i, random.nextLong());
        }
    }

    private void startWork(int client, long seed) {
        clients.get(client).forgetReports();
        clients.get(client)
                .order("start " + name + " " + seed + " " + ground.lease().toMillis() * 2 + " "
                        + Objects.requireNonNull(folder).resolve(id(client) + LogReader.ENDING));
    }

    /** The holder is asked to hold the lock for long: much longer than the lease if it is renewed, else for a part of it. */
    public void orderHold() {
        long lease = ground.lease().toMillis();
        clients.get(holder).forgetReports();
        clients.get(holder).order("hold " + (subject.renews() ? lease * 3 : lease * 6 / 10));
    }

    /** Whether the holder holds it; waits for that. */
    public boolean awaitHolding(long millis) throws InterruptedException {
        return clients.get(holder).await("holding", millis) != null;
    }

    public void kill(int client) throws IOException {
        noteClient(Kind.KILLED, client);
        clients.get(client).kill();
    }

    /** A new process takes the place of a killed one, and works. */
    public void replace(int client, long seed) throws IOException, InterruptedException {
        clients.set(client, start(client));
        ready[client] = clients.get(client).await("ready", READY_MILLIS) != null;
        if (ready[client]) {
            startWork(client, seed);
        }
    }

    public void freeze(int client) throws IOException, InterruptedException {
        clients.get(client).freeze();
        frozen[client] = true;
        noteClient(Kind.FROZEN, client);
    }

    public void thaw(int client) throws IOException, InterruptedException {
        if (frozen[client]) {
            noteClient(Kind.THAWED, client);
            frozen[client] = false;
            clients.get(client).thaw();
        }
    }

    public void setClockRate(int client, int rate) throws IOException {
        clockMoved[client] |= rate != 1;
        clients.get(client).setClockRate(rate);
    }

    /** Tells all to stop. */
    public void orderStop() {
        note(Kind.END);
        clients.forEach(each -> each.order("stop"));
    }

    /** Whoever does not come back is killed and replaced. Then somebody asks for the lock: it must be free after a lease at the latest. */
    public void end() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_MILLIS);
        boolean allStopped = true;
        for (int i = 0; i < CLIENTS; i++) {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            if (clients.get(i).await("stopped", left) == null) {
                allStopped = false;
                kill(i);
                clients.set(i, start(i));
            }
        }
        if (!allStopped) {
            awaitReady();
        }
        probe();
        ground.resource().forget(name);
        LogWriter done = writer();
        log = null;
        done.close();
        replaceWhoseClockIsAhead();
    }

    /**
     * A clock stays ahead for as long as its process lives. The next trial is about another fault: a library that relies on the clocks of its
     * clients must not be blamed for this one again.
     */
    private void replaceWhoseClockIsAhead() throws IOException, InterruptedException {
        for (int i = 0; i < CLIENTS; i++) {
            if (clockMoved[i]) {
                clients.get(i).kill();
                clients.set(i, start(i));
            }
        }
        awaitReady();
    }

    private void probe() throws InterruptedException {
        long limit = subject.freeAfter(ground.lease()).toMillis() + 1500;
        ClientProcess asking = clients.get((holder + 1) % CLIENTS);
        asking.forgetReports();
        asking.order("probe " + name + " " + limit);
        long began = System.nanoTime();
        String answer = asking.await("probed", limit + STOP_MILLIS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        note(Kind.PROBED, "got", answer != null && answer.contains("yes") ? "yes" : "no", "millis", millis);
    }

    /** All clients are connected; one that cannot connect is started again, twice. */
    void awaitReady() throws IOException, InterruptedException {
        for (int i = 0; i < CLIENTS; i++) {
            for (int tries = 0; !ready[i] || !clients.get(i).isAlive(); tries++) {
                ready[i] = clients.get(i).await("ready", READY_MILLIS) != null;
                if (!ready[i]) {
                    clients.get(i).kill();
                    if (tries == 2) {
                        throw new IOException("A client of " + subject.title() + " does not start: see client-"
                                + subject.id() + "-" + i + ".err");
                    }
                    clients.set(i, start(i));
                }
            }
        }
    }

    public @Nullable Path folder() {
        return folder;
    }

    void close() throws IOException {
        for (ClientProcess client : clients) {
            client.kill();
        }
    }
}

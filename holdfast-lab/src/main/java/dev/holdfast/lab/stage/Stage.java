package dev.holdfast.lab.stage;

import dev.holdfast.lab.machine.ClientProcess;
import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.RedisServer;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import dev.holdfast.lab.wire.Resp;
import dev.holdfast.redis.RedlockBackend;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Five servers, three clients, a link from each client to each server, and the account. Servers and clients go by their number,
 * from 0. For one thread at a time, but for {@link #board} and {@link #close}.
 */
public final class Stage implements AutoCloseable {
    public static final int SERVERS = 5;
    public static final List<String> CLIENTS = List.of("A", "B", "C");

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Machine machine;
    private final Board board;
    private final Servers servers;
    private final Links links;
    private final RedisServer account;
    /** The names that all clients have for the servers. */
    private final List<String> addresses;

    private final List<ClientProcess> clients = new ArrayList<>();
    private final List<Runnable> endWatches = new ArrayList<>();

    private Stage(Machine machine) throws IOException {
        this.machine = machine;
        board = new Board();
        account = machine.server("account");
        List<RedisServer> five = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            RedisServer server = machine.server("server-" + (i + 1));
            five.add(server);
            board.change(() -> board.servers.add(new ServerView(server.port())));
        }
        addresses = five.stream().map(RedisServer::address).toList();
        links = new Links(machine, five, board);
        servers = new Servers(machine, List.copyOf(five), links, board);
    }

    /** Starts everything. Blocks for some seconds. Nobody is connected yet: {@link #reset} comes first. */
    public static Stage open() throws IOException, InterruptedException {
        Machine machine = Machine.prepare();
        try {
            Stage stage = new Stage(machine);
            stage.start();
            return stage;
        } catch (IOException | InterruptedException | RuntimeException e) {
            machine.close();
            throw e;
        }
    }

    private void start() throws IOException, InterruptedException {
        for (int i = 0; i < CLIENTS.size(); i++) {
            String name = CLIENTS.get(i);
            board.change(() -> board.clients.add(new ClientView(name)));
            startClient(i);
        }
        account.start();
        for (int i = 0; i < SERVERS; i++) {
            servers.start(i);
            int port = board.servers.get(i).port;
            endWatches.add(new ServerWatch(i, port, board)::close);
        }
        endWatches.add(new AccountWatch(account.port(), board)::close);
    }

    private void startClient(int client) throws IOException {
        ClientProcess process = new ClientProcess(
                machine, CLIENTS.get(client), message -> board.clientSaid(client, links.withNames(message)));
        if (client < clients.size()) {
            clients.set(client, process);
        } else {
            clients.add(process);
        }
        board.change(() -> {
            ClientView view = board.clients.get(client);
            view.pid = process.pid();
            view.frozen = false;
            view.connected = false;
        });
    }

    public Board board() {
        return board;
    }

    public Servers servers() {
        return servers;
    }

    public Links links() {
        return links;
    }

    /** Whether clocks of servers can run fast here. Empty: they can. Otherwise why not: then votes are ended early instead. */
    public String whyNoClocks() {
        return machine.clock().whyNot();
    }

    // ---- a new beginning

    /**
     * Everything whole again, nothing held, 100 in both accounts. The clients with these numbers are connected.
     *
     * @param maxLease the longest lease that is taken from here on
     */
    public void reset(Duration maxLease, List<Integer> connected) throws IOException, InterruptedException {
        for (int i = 0; i < CLIENTS.size(); i++) {
            if (board.read(frozen(i))) {
                thawClient(i);
            }
            for (int j = 0; j < SERVERS; j++) {
                links.mend(i, j);
            }
        }
        disconnectAll();
        servers.reset();
        Object unused = account.call("FLUSHALL");
        for (Lane lane : Lane.values()) {
            unused = account.call("SET", lane.accountKey(), Long.toString(AccountView.OPENING_BALANCE));
        }
        RedlockBackend.builder("redlock://" + String.join(",", addresses))
                .maxLease(maxLease)
                .initialise();
        board.clear();
        for (int client : connected) {
            sendConnect(client, maxLease);
        }
        for (int client : connected) {
            awaitConnected(client);
        }
    }

    private Supplier<Boolean> frozen(int client) {
        return () -> board.clients.get(client).frozen;
    }

    /** A client that does not confirm in time is replaced. */
    private void disconnectAll() throws IOException, InterruptedException {
        for (int i = 0; i < CLIENTS.size(); i++) {
            if (clients.get(i).isAlive()) {
                clients.get(i).send(Message.of("disconnect"));
            }
        }
        for (int i = 0; i < CLIENTS.size(); i++) {
            ClientView view = board.clients.get(i);
            if (!clients.get(i).isAlive() || !board.await(PATIENCE, () -> !view.connected)) {
                clients.get(i).kill();
                startClient(i);
            }
        }
    }

    /** Connects a client that was left out of {@link #reset}. Blocks until it is. */
    public void connect(int client, Duration maxLease) throws IOException, InterruptedException {
        sendConnect(client, maxLease);
        awaitConnected(client);
    }

    private void sendConnect(int client, Duration maxLease) throws IOException {
        List<Integer> ports = links.ports(client);
        clients.get(client)
                .send(Message.of(
                        "connect",
                        "url",
                        redlockUrl(ports),
                        "ports",
                        ports.stream().map(String::valueOf).collect(Collectors.joining(",")),
                        "account",
                        account.port(),
                        "lease",
                        maxLease.toMillis()));
        tellGuard(client);
    }

    private void awaitConnected(int client) throws IOException, InterruptedException {
        ClientView view = board.clients.get(client);
        if (!board.await(PATIENCE, () -> view.connected)) {
            throw new IOException("Client " + view.name + " could not connect");
        }
    }

    /** Each server by the name it has for all clients, and the port at which this one finds it. */
    private String redlockUrl(List<Integer> ports) {
        return IntStream.range(0, SERVERS)
                .mapToObj(i -> addresses.get(i) + "=127.0.0.1:" + ports.get(i))
                .collect(Collectors.joining(",", "redlock://", ""));
    }

    // ---- orders to clients

    public void freezeClient(int client) throws IOException, InterruptedException {
        note(client, true, "is frozen (SIGSTOP)");
        clients.get(client).freeze();
    }

    public void thawClient(int client) throws IOException, InterruptedException {
        clients.get(client).thaw();
        note(client, false, "goes on");
    }

    private void note(int client, boolean frozen, String what) {
        board.change(() -> {
            ClientView view = board.clients.get(client);
            view.frozen = frozen;
            board.log("client " + view.name, "fault", what);
        });
    }

    /** Also while it is frozen: it finds the order when it goes on. */
    public void send(int client, Message order) throws IOException {
        clients.get(client).send(order);
    }

    /** Whether the account checks tokens. */
    public void guard(boolean on) throws IOException {
        board.change(() -> {
            board.guarded = on;
            board.log("account", "fault", on ? "its guard is on" : "its guard is off: it takes every write");
        });
        for (int i = 0; i < CLIENTS.size(); i++) {
            if (board.read(connected(i))) {
                tellGuard(i);
            }
        }
    }

    private Supplier<Boolean> connected(int client) {
        return () -> board.clients.get(client).connected;
    }

    private void tellGuard(int client) throws IOException {
        boolean on = board.read(() -> board.guarded);
        send(client, Message.of("guard", "lane", Lane.HOLDFAST.id(), "on", on));
    }

    /** Lets a client take the lock, deposit 10 and release, again and again. */
    public void work(int client, boolean on, Duration lease, List<Lane> lanes) throws IOException {
        for (Lane lane : Lane.values()) {
            boolean takesPart = on && lanes.contains(lane);
            send(client, Message.of("work", "lane", lane.id(), "on", takesPart, "lease", lease.toMillis()));
        }
        board.change(() -> board.clients.get(client).working = on);
    }

    /** What the server of the account says now. */
    public AccountView lookAtAccount(Lane lane) throws IOException {
        try (Resp resp = new Resp(account.port(), Math.toIntExact(PATIENCE.toMillis()))) {
            return AccountWatch.look(resp, lane);
        }
    }

    /** Ends every process. Safe for use by any thread, at any time: whoever uses one of them then fails. */
    @Override
    public void close() throws IOException {
        endWatches.forEach(Runnable::run);
        links.close();
        machine.close();
    }
}

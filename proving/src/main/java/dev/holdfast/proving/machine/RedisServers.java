package dev.holdfast.proving.machine;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.lab.machine.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Independent Redis servers that write down every change, with the system's write cache as their disk. */
public final class RedisServers implements StoreServers {
    /** Each has a folder of its own on the machine, also if the same store is started again. */
    private static final AtomicInteger STARTED = new AtomicInteger();

    private final List<RedisServer> servers = new ArrayList<>();

    public RedisServers(Machine machine, String name, int count) throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            RedisServer server = machine.server(name + "-" + STARTED.incrementAndGet());
            servers.add(server);
            server.start();
        }
    }

    @Override
    public boolean areRunning() {
        try {
            for (RedisServer server : servers) {
                Object unused = server.call("PING");
            }
            return true;
        } catch (IOException dead) {
            return false;
        }
    }

    @Override
    public List<Integer> ports() {
        return servers.stream().map(RedisServer::port).toList();
    }

    @Override
    public String version() {
        try {
            return version(String.valueOf(servers.get(0).call("INFO", "server")));
        } catch (IOException e) {
            return "Redis";
        }
    }

    /** From what the server says about itself. */
    static String version(String info) {
        return info.lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line ->
                        "Redis " + line.substring("redis_version:".length()).strip())
                .findFirst()
                .orElse("Redis");
    }

    @Override
    public void kill(int server) throws IOException {
        servers.get(server).kill();
    }

    @Override
    public void start(int server) throws IOException, InterruptedException {
        servers.get(server).start();
    }

    @Override
    public void forget(int server) throws IOException {
        servers.get(server).forget();
    }

    @Override
    public void freeze(int server) throws IOException, InterruptedException {
        servers.get(server).freeze();
    }

    @Override
    public void thaw(int server) throws IOException, InterruptedException {
        servers.get(server).thaw();
    }

    @Override
    public void setClockRate(int server, int rate) throws IOException {
        servers.get(server).setClockRate(rate);
    }

    @Override
    public @Nullable Object call(int server, String... command) throws IOException {
        return servers.get(server).call(command);
    }

    @Override
    public void close() throws IOException {
        for (RedisServer server : servers) {
            server.kill();
        }
    }
}

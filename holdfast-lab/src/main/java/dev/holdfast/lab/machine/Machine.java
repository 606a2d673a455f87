package dev.holdfast.lab.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What all processes of a lab have in common: a folder, the program of the servers, somebody who ends them all. Makes them; whoever
 * asked for one ends it, and what is left ends with the machine.
 */
public final class Machine implements AutoCloseable {
    private final Path folder;
    private final Keeper keeper;
    private final Path embedded;
    private final ClockShim clock;
    private final FreePorts ports;

    private Machine(Path folder, Keeper keeper, Path embedded, ClockShim clock, FreePorts ports) {
        this.folder = folder;
        this.keeper = keeper;
        this.embedded = embedded;
        this.clock = clock;
        this.ports = ports;
    }

    /** Blocks while it looks whether clocks can be changed here, for a second or two. */
    public static Machine prepare() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("holdfast-lab");
        Keeper keeper = new Keeper(folder);
        FreePorts ports = new FreePorts();
        try {
            return new Machine(
                    folder, keeper, RedisProgram.unpackInto(folder), ClockShim.prepare(folder, keeper, ports), ports);
        } catch (IOException | RuntimeException e) {
            keeper.close();
            ports.close();
            throw e;
        }
    }

    /** Whether {@link RedisServer#setClockRate} works, and if not, why. */
    public ClockShim clock() {
        return clock;
    }

    /** Not started yet. */
    public RedisServer server(String name) throws IOException {
        return new RedisServer(name, ports.next(), Files.createDirectory(folder.resolve(name)), this);
    }

    public Link link(RedisServer server) throws IOException {
        return new Link(ports.next(), server.port());
    }

    ProcessBuilder serverProgram(Path rateFile) {
        return clock.isUsable() ? clock.program(rateFile) : new ProcessBuilder(embedded.toString());
    }

    /** Starts a process that ends with this machine. */
    public Process start(ProcessBuilder program) throws IOException {
        Process process = program.start();
        keeper.add(process);
        return process;
    }

    /** SIGKILL, which also ends what is frozen. Blocks until the process is no more. */
    public void end(Process process) throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        keeper.drop(process);
    }

    /** Removed in the end. */
    public Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        keeper.close();
        ports.close();
    }
}

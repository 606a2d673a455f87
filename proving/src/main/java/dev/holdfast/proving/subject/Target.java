package dev.holdfast.proving.subject;

import java.time.Duration;
import java.util.List;

/**
 * What a client connects to.
 *
 * @param ports of the servers on this machine, as this client reaches them
 */
public record Target(List<Integer> ports, Duration lease) {
    public Target {
        ports = List.copyOf(ports);
    }

    List<String> urls(String scheme) {
        return ports.stream().map(port -> scheme + "://127.0.0.1:" + port).toList();
    }

    String url(String scheme) {
        return urls(scheme).get(0);
    }

    String address() {
        return "127.0.0.1:" + ports.get(0);
    }
}

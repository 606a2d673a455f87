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
        return addresses().stream().map(address -> scheme + "://" + address).toList();
    }

    String url(String scheme) {
        return urls(scheme).get(0);
    }

    String address() {
        return addresses().get(0);
    }

    List<String> addresses() {
        return ports.stream().map(port -> "127.0.0.1:" + port).toList();
    }
}

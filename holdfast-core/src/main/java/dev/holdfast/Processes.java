package dev.holdfast;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Who we are, for the people who will look for us. */
final class Processes {
    private static final String HOST = host();

    private Processes() {}

    static Holder self(String description) {
        return new Holder(HOST, ProcessHandle.current().pid(), description);
    }

    private static String host() {
        // The environment first: a look-up can take seconds where name resolution is broken.
        String known = System.getenv("HOSTNAME");
        if (known != null && !known.isBlank()) {
            return known;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}

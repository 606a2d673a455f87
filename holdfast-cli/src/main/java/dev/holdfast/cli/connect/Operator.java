package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.DisplayText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/** Who gave the command, for the record. */
public final class Operator {
    private static final int LONGEST = 60;

    private Operator() {}

    /** As far as this machine knows: {@code alice on host-1}, or {@code alice as root on host-1}. */
    public static String here(Map<String, String> environment) {
        String user = shortened(System.getProperty("user.name", "?"));
        String before = shortened(environment.getOrDefault("SUDO_USER", ""));
        return (before.isEmpty() || before.equals(user) ? user : before + " as " + user) + " on "
                + shortened(host(environment));
    }

    /** The environment first: a look-up can take seconds where name resolution is broken. */
    private static String host(Map<String, String> environment) {
        String known = environment.getOrDefault("HOSTNAME", "");
        if (!known.isBlank()) {
            return known;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    private static String shortened(String text) {
        String shown = DisplayText.text(text);
        return shown.length() <= LONGEST ? shown : shown.substring(0, LONGEST - 1) + "…";
    }
}

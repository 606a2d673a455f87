package dev.holdfast.etcd;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code etcd://user:password@host:port,host:port/namespace}, or {@code etcd+tls://…?ca=FILE&cert=FILE&key=FILE} for an encrypted
 * connection.
 *
 * <p>No message here repeats what stands in the URL, except settings by their known names: any other part may belong to a
 * password that was not encoded as it should be.
 */
final class Url {
    private static final String PLAIN = "etcd://";
    private static final String ENCRYPTED = "etcd+tls://";
    private static final int PORT = 2379;

    private Url() {}

    /** Upper and lower case are the same in a scheme. */
    private static boolean begins(String text, String scheme) {
        return text.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    static EtcdBackend.Builder parse(String url) {
        boolean encrypted = begins(url, ENCRYPTED);
        if (!encrypted && !begins(url, PLAIN)) {
            throw new IllegalArgumentException(
                    "This is not a URL of etcd: it looks like etcd://host:2379,host:2379/namespace, or etcd+tls://…");
        }
        String rest = url.substring((encrypted ? ENCRYPTED : PLAIN).length());
        int question = rest.indexOf('?');
        String parameters = question < 0 ? "" : rest.substring(question + 1);
        rest = question < 0 ? rest : rest.substring(0, question);
        if (parameters.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "An @ behind the ? of an etcd URL: in a password write ? as %3F, and @ in a setting as %40");
        }
        // The last one: a password may have @ and / in it, the hosts and the namespace may not.
        int at = rest.lastIndexOf('@');
        String place = rest.substring(at + 1);
        int slash = place.indexOf('/');
        EtcdBackend.Builder builder =
                new EtcdBackend.Builder(endpoints(slash < 0 ? place : place.substring(0, slash)), null);
        String namespace = slash < 0 ? "" : place.substring(slash + 1);
        if (!namespace.isEmpty()) {
            builder.namespace(decode("the namespace", namespace));
        }
        if (at >= 0) {
            String[] user = rest.substring(0, at).split(":", 2);
            builder.login(decode("the user", user[0]), user.length < 2 ? "" : decode("the password", user[1]));
        }
        return withTls(builder, encrypted, parameters);
    }

    private static EtcdBackend.Builder withTls(EtcdBackend.Builder builder, boolean encrypted, String parameters) {
        String ca = "";
        String cert = "";
        String key = "";
        for (String parameter : parameters.isEmpty() ? new String[0] : parameters.split("&")) {
            int equals = parameter.indexOf('=');
            String value = equals < 0 ? "" : decode("a setting", parameter.substring(equals + 1));
            switch (equals < 0 ? parameter : parameter.substring(0, equals)) {
                case "ca" -> ca = value;
                case "cert" -> cert = value;
                case "key" -> key = value;
                default ->
                    throw new IllegalArgumentException(
                            "A setting in an etcd URL is not known; known are ca, cert and key, with etcd+tls://."
                                    + " (In a password write ? as %3F.)");
            }
        }
        if (!encrypted && !(ca + cert + key).isEmpty()) {
            throw new IllegalArgumentException("ca, cert and key are for TLS: begin the URL with etcd+tls://");
        }
        if (cert.isEmpty() != key.isEmpty()) {
            throw new IllegalArgumentException("cert and key go together: a certificate is of no use without its key");
        }
        if (encrypted) {
            builder.tls();
        }
        if (!ca.isEmpty()) {
            builder.ca(Path.of(ca));
        }
        if (!cert.isEmpty()) {
            builder.certificate(Path.of(cert), Path.of(key));
        }
        return builder;
    }

    private static List<Settings.Endpoint> endpoints(String text) {
        List<Settings.Endpoint> endpoints = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            endpoints.add(endpoint(each.strip()));
        }
        return List.copyOf(endpoints);
    }

    @SuppressWarnings("UnusedException") // Its message has the text in it.
    private static Settings.Endpoint endpoint(String text) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon >= 0 && text.indexOf(']', colon) < 0;
        String host = hasPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException("In an etcd URL write an IPv6 address in brackets: etcd://[::1]:2379");
        }
        try {
            int port = hasPort ? Integer.parseInt(text.substring(colon + 1)) : PORT;
            if (!host.isEmpty() && port > 0 && port < 65_536) {
                return new Settings.Endpoint(host, port);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "An etcd URL names its members as host:port, separated by commas, with ports from 1 to 65535");
    }

    @SuppressWarnings("UnusedException") // Its message has the text in it.
    private static String decode(String what, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "In " + what + " of an etcd URL a % is not followed by two hexadecimal digits: write % as %25");
        }
    }
}

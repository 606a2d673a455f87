package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.Failures;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import java.io.File;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whom we trust, and who we are, in the URL of Redis servers: {@code ?trustStore=FILE&keyStore=FILE} and their passwords, as
 * in a URL of ZooKeeper. What is not there comes from the JDK's own properties ({@code javax.net.ssl.keyStore} and the like).
 *
 * @param url without these parameters
 */
record RedisTls(
        String url, @Nullable KeyFile trust, @Nullable KeyFile key) {
    private static final List<String> PARAMETERS =
            List.of("trustStore", "trustStorePassword", "keyStore", "keyStorePassword");

    /** Certificates or keys in a file, in any format that the JDK reads. */
    record KeyFile(String path, String password) {}

    /** @param encrypted whether the scheme says so */
    static RedisTls of(String url, boolean encrypted) {
        int question = url.lastIndexOf('?');
        Map<String, String> ours = new LinkedHashMap<>();
        String rest = question < url.lastIndexOf('@') || question < 0 ? url : withoutOurs(url, question, ours);
        if (!encrypted && !ours.isEmpty()) {
            throw new CliException(
                    ExitCode.USAGE,
                    String.join(", ", ours.keySet()) + " needs TLS: begin the URL with rediss://, rediss+sentinel://,"
                            + " rediss+cluster:// or redlocks://.");
        }
        return new RedisTls(rest, file(ours, "trustStore", encrypted), file(ours, "keyStore", encrypted));
    }

    private static String withoutOurs(String url, int question, Map<String, String> ours) {
        List<String> theirs = new ArrayList<>();
        for (String each : url.substring(question + 1).split("&", -1)) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (PARAMETERS.contains(name)) {
                String value = equals < 0 ? "" : each.substring(equals + 1);
                ours.put(name, URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8));
            } else {
                theirs.add(each);
            }
        }
        return url.substring(0, question) + (theirs.isEmpty() ? "" : "?" + String.join("&", theirs));
    }

    private static @Nullable KeyFile file(Map<String, String> ours, String name, boolean encrypted) {
        String path = ours.getOrDefault(name, "");
        String password = ours.getOrDefault(name + "Password", "");
        if (path.isEmpty() && encrypted) {
            path = System.getProperty("javax.net.ssl." + name, "");
            password = System.getProperty("javax.net.ssl." + name + "Password", "");
        }
        return path.isEmpty() ? null : new KeyFile(path, password);
    }

    /** Whether anything differs from what the JDK does by itself. */
    boolean isGiven() {
        return trust != null || key != null;
    }

    /** Lends its settings and threads to the backend. Ends with the process. */
    RedisClient client() {
        RedisClient client = RedisClient.create();
        client.setOptions(ClientOptions.builder().sslOptions(options()).build());
        return client;
    }

    /** For a client of whatever kind. */
    SslOptions options() {
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        if (trust != null) {
            options.truststore(readable(trust, "trust store"), trust.password());
        }
        if (key != null) {
            options.keystore(readable(key, "key store"), key.password().toCharArray());
        }
        return options.build();
    }

    /** Read once now: later it would look like a server that does not answer. */
    private static File readable(KeyFile file, String what) {
        File there = new File(file.path());
        try {
            KeyStore.getInstance(there, file.password().toCharArray());
            return there;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new CliException(
                    ExitCode.USAGE,
                    "The " + what + " " + file.path() + " cannot be read: " + Failures.describe(e)
                            + ". No connection is made without it.");
        }
    }
}

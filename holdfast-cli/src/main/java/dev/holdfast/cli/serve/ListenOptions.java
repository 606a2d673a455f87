package dev.holdfast.cli.serve;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.dashboard.Dashboard;
import dev.holdfast.spi.Failures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a page is served, and who may see it. */
public final class ListenOptions {
    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description = "The port. Default: any that is free.")
    private int port;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description =
                    "Listen on this address of the machine instead of loopback (127.0.0.1). Needs --password-file or"
                            + " --client-trust-store, because others can reach it.")
    private @Nullable String listen;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description =
                    "A name that browsers call the page by, such as that of a proxy before it. Can be given several"
                            + " times. Other names than localhost are refused without it.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--password-file",
            paramLabel = "PATH",
            description = "Whoever knows the first line of this file may enter, besides whoever has a link.")
    private @Nullable String passwordFile;

    @Option(
            names = "--key-store",
            paramLabel = "PATH",
            description = "Encrypt (https), with the key in this file: PKCS12 or another format that Java reads.")
    private @Nullable String keyStore;

    @Option(
            names = "--key-store-password-file",
            paramLabel = "PATH",
            description = "The password of the key store is the first line of this file.")
    private @Nullable String keyStorePasswordFile;

    @Option(
            names = "--client-trust-store",
            paramLabel = "PATH",
            description = "Demand a client certificate that this file trusts, in place of links and passwords. Needs"
                    + " --key-store.")
    private @Nullable String trustStore;

    @Option(
            names = "--client-trust-store-password-file",
            paramLabel = "PATH",
            description = "The password of that file is the first line of this one.")
    private @Nullable String trustStorePasswordFile;

    /** Applies them. What is missing or wrong is said before anything is opened. */
    public Dashboard.Builder to(Dashboard.Builder builder) {
        check();
        builder.port(port);
        if (listen != null) {
            builder.listen(address(listen));
        }
        hosts.forEach(builder::host);
        if (passwordFile != null) {
            builder.password(firstLine(passwordFile, "password"));
        }
        if (keyStore != null) {
            var context = KeyStores.context(
                    keyStore, password(keyStorePasswordFile), trustStore, password(trustStorePasswordFile));
            if (trustStore == null) {
                builder.tls(context);
            } else {
                builder.clientCertificates(context);
            }
        }
        return builder;
    }

    /** Whether somebody gets in by a certificate only, so that a link would open nothing. */
    public boolean demandsCertificate() {
        return trustStore != null;
    }

    private void check() {
        if (port < 0 || port > 65_535) {
            throw usage("--port is a number from 0 to 65535: " + port);
        }
        if (trustStore != null && keyStore == null) {
            throw usage(
                    "--client-trust-store needs --key-store: certificates are shown on encrypted connections only.");
        }
        if (keyStorePasswordFile != null && keyStore == null) {
            throw usage("--key-store-password-file needs --key-store.");
        }
        if (trustStorePasswordFile != null && trustStore == null) {
            throw usage("--client-trust-store-password-file needs --client-trust-store.");
        }
        if (trustStore != null && passwordFile != null) {
            throw usage("Pass --password-file or --client-trust-store, not both.");
        }
        if (isExposed() && passwordFile == null && trustStore == null) {
            throw usage(
                    "--listen " + listen + " lets others reach the page: pass --password-file PATH, or --key-store and"
                            + " --client-trust-store.");
        }
    }

    private boolean isExposed() {
        return listen != null && !address(listen).isLoopbackAddress();
    }

    /** Says what is open to whom, if it is more than this machine. */
    public void warn(Console console, String store, boolean readOnly) {
        if (!isExposed()) {
            return;
        }
        console.note("The page is open to everybody who can reach " + listen + " and "
                + (trustStore != null ? "has a certificate that " + trustStore + " trusts" : "knows the password")
                + ". They see the names, holders and descriptions of all locks at " + store
                + (readOnly ? "." : ", and can break them (--read-only prevents that)."));
        if (keyStore == null) {
            console.note(
                    "It is not encrypted: whoever can read the network in between reads the password. Pass --key-store,"
                            + " or leave --listen away and put a proxy with TLS on this machine.");
        }
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw usage("--listen is an address of this machine: '" + text + "' is none.");
        }
    }

    private static String password(@Nullable String file) {
        return file == null ? "" : firstLine(file, "password");
    }

    private static String firstLine(String path, String what) {
        try (var lines = Files.lines(Path.of(path), StandardCharsets.UTF_8)) {
            String first = lines.findFirst().orElse("");
            if (first.isBlank()) {
                throw usage("The first line of " + path + " is empty: it must be the " + what + ".");
            }
            return first;
        } catch (IOException | RuntimeException e) {
            if (e instanceof CliException known) {
                throw known;
            }
            throw usage("The " + what + " cannot be read from " + path + ": " + why(e) + ".");
        }
    }

    /** The most frequent ones have no message but the path. */
    private static String why(Exception failure) {
        if (failure instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return failure instanceof AccessDeniedException ? "this user may not read it" : Failures.describe(failure);
    }

    private static CliException usage(String message) {
        return new CliException(ExitCode.USAGE, message);
    }
}

package dev.holdfast.etcd;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate for 127.0.0.1 that trusts itself, and its key, as PEM files. Made by the JDK's keytool. */
record KeyFiles(Path certificate, Path key) {
    private static final String PASSWORD = "only-for-tests";

    static KeyFiles make(String algorithm) {
        try {
            Path folder = Files.createTempDirectory("holdfast-etcd-keys");
            Path store = folder.resolve("store.p12");
            Process keytool = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "both",
                            "-keyalg",
                            algorithm,
                            "-dname",
                            "CN=shop",
                            "-ext",
                            "SAN=ip:127.0.0.1,dns:localhost",
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            PASSWORD))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new AssertionError(said);
            }
            KeyStore made = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                made.load(in, PASSWORD.toCharArray());
            }
            Path certificate = folder.resolve("both.crt");
            Path key = folder.resolve("both.key");
            Files.writeString(
                    certificate, pem("CERTIFICATE", made.getCertificate("both").getEncoded()));
            Files.writeString(
                    key,
                    pem(
                            "PRIVATE KEY",
                            made.getKey("both", PASSWORD.toCharArray()).getEncoded()));
            return new KeyFiles(certificate, key);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what + "-----\n";
    }
}

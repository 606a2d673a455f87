package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Encryption of a server.
 *
 * @param context with the server's key, and with whom it trusts where certificates are demanded
 * @param demandsCertificate whether a browser must show a certificate that the context trusts
 */
public record Tls(SSLContext context, boolean demandsCertificate) {
    public Tls {
        Objects.requireNonNull(context, "context");
    }

    HttpsConfigurator configurator() {
        return new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = context.getDefaultSSLParameters();
                ssl.setNeedClientAuth(demandsCertificate);
                parameters.setSSLParameters(ssl);
            }
        };
    }
}

package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.Headers;

/** What every reply tells the browser. */
final class SecurityHeaders {
    /** Nothing from elsewhere, nothing inline, no text that becomes a script or markup. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private SecurityHeaders() {}

    static void set(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        // With no-referrer the browser would not name the origin of a form either.
        headers.set("Referrer-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
        headers.set("Cache-Control", "no-store");
    }
}

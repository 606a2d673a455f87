package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a request is refused, as a problem document of RFC 9457. The newest token that the guard has seen is not in it: it would only serve
 * to send the request again with it.
 */
record Problem(
        String type,
        int status,
        String title,
        String detail,
        @Nullable Duration retryAfter) {
    private static final String TYPES = "tag:holdfast.dev,2026:";

    private static final int URI_TOO_LONG = 414;

    private static Problem of(String type, int status, String title, String detail) {
        return new Problem(type, status, title, detail, null);
    }

    static Problem stale(TokenHeader presented) {
        return of(
                "stale-token",
                HttpServletResponse.SC_CONFLICT,
                "The token is stale",
                "Token " + presented
                        + " came with a lease that is over: a later lease of the lock has been at this resource."
                        + " Acquire the lock again, and start over from what the resource holds now.");
    }

    static Problem wrongGeneration(TokenHeader presented, int current) {
        return of(
                "wrong-generation",
                HttpServletResponse.SC_CONFLICT,
                "The token comes from another lock store",
                "Generation " + presented.generation() + " was presented, and the guard accepts generation " + current
                        + ". To acquire the lock again does not help: the client, or the guard, has to be moved.");
    }

    static Problem missing(int status) {
        return of(
                "missing-token",
                status,
                "A token is required",
                "Acquire the lock of this resource, and send the token of the lease in the header " + TokenHeader.NAME
                        + ".");
    }

    static Problem malformed(String detail) {
        return of("malformed-token", HttpServletResponse.SC_BAD_REQUEST, "The token cannot be read", detail);
    }

    static Problem outOfRange(String detail) {
        return of("token-out-of-range", HttpServletResponse.SC_BAD_REQUEST, "The token is out of range", detail);
    }

    static Problem ambiguousPath(String detail) {
        return of("ambiguous-path", HttpServletResponse.SC_BAD_REQUEST, "The path can be read in two ways", detail);
    }

    static Problem pathTooLong(int mostBytes) {
        return of(
                "path-too-long",
                URI_TOO_LONG,
                "The path is too long",
                "The name of a guarded resource has at most " + mostBytes + " bytes.");
    }

    static Problem unavailable(Duration retryAfter) {
        return new Problem(
                "guard-unavailable",
                HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                "The token cannot be checked",
                "The guard of this resource did not answer, so the request was not carried out. Send it again later, with the"
                        + " same token.",
                retryAfter);
    }

    /** In place of whatever the handler has written so far. The response must not be committed. */
    void send(HttpServletResponse response) throws IOException {
        byte[] body = json().getBytes(StandardCharsets.US_ASCII);
        response.resetBuffer();
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.setContentLength(body.length);
        response.setHeader("Cache-Control", "no-store");
        if (retryAfter != null) {
            response.setHeader("Retry-After", Long.toString(retryAfter.toSeconds()));
        }
        try {
            response.getOutputStream().write(body);
        } catch (IllegalStateException handlerTookTheWriter) {
            // All of it is ASCII, so the encoding that the handler chose makes no difference.
            response.getWriter().write(json());
        }
        response.flushBuffer();
    }

    String json() {
        return "{\"type\":\"" + TYPES + type + "\",\"title\":" + quoted(title) + ",\"status\":" + status
                + ",\"detail\":" + quoted(detail) + "}";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}

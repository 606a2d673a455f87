package dev.holdfast.http;

import dev.holdfast.FencingToken;
import dev.holdfast.Lease;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Objects;

/**
 * Adds the token of a lease to a request, so that the server can refuse it once the lease is over.
 *
 * <pre>{@code
 * HttpRequest.Builder request = HttpRequest.newBuilder(uri).PUT(body);
 * client.send(HoldfastHeaders.add(request, lease).build(), BodyHandlers.ofString());
 * }</pre>
 *
 * <p>Add it to the first GET as well: the server then refuses earlier holders from your read on. Does no I/O.
 */
public final class HoldfastHeaders {
    private HoldfastHeaders() {}

    /**
     * Sets the header, in place of one that is there.
     *
     * @return the builder that was given
     * @throws dev.holdfast.LeaseLostException if the lease is over: do not send the request, the lock may be somebody else's
     * @throws IllegalStateException if the lease was closed
     */
    public static HttpRequest.Builder add(HttpRequest.Builder request, Lease lease) {
        return add(request, lease, 0);
    }

    /**
     * The same, for a guard that was moved to the tokens of another lock store.
     *
     * @param generation the one that the guard was moved to
     * @throws dev.holdfast.LeaseLostException if the lease is over: do not send the request, the lock may be somebody else's
     * @throws IllegalStateException if the lease was closed
     */
    public static HttpRequest.Builder add(HttpRequest.Builder request, Lease lease, int generation) {
        Objects.requireNonNull(request, "request");
        return request.setHeader(TokenHeader.NAME, of(lease, generation).toString());
    }

    /**
     * The header for a client of another kind.
     *
     * @param generation 0, or the one that the guard was moved to
     * @throws dev.holdfast.LeaseLostException if the lease is over: do not send the request, the lock may be somebody else's
     * @throws IllegalStateException if the lease was closed
     */
    public static TokenHeader of(Lease lease, int generation) {
        FencingToken token = lease.token();
        TokenHeader header = new TokenHeader(generation, token);
        lease.ensureValid(Duration.ZERO);
        return header;
    }
}

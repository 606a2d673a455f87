package dev.holdfast.http.server;

import dev.holdfast.FencingToken;
import dev.holdfast.http.TokenHeader;
import jakarta.servlet.ServletRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/**
 * What a request presented, for its handler. The handler that checks it in the transaction that writes leaves no gap in which a
 * stale holder could slip through:
 *
 * <pre>{@code
 * PresentedToken.of(request).checkIn(connection, "order-" + id);     // the first statement of the transaction
 * }</pre>
 *
 * @param resource the name of the resource, from its path
 */
public record PresentedToken(String resource, TokenHeader header) {
    /** Under this name it is an attribute of the request. */
    public static final String ATTRIBUTE = "dev.holdfast.http.PresentedToken";

    public PresentedToken {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(header, "header");
    }

    /**
     * What this request presented.
     *
     * @throws IllegalStateException if it presented nothing: the filter does not cover its path, or the method is one that may
     *     come without a token
     */
    public static PresentedToken of(ServletRequest request) {
        return find(request)
                .orElseThrow(() ->
                        new IllegalStateException("This request has no token that a TokenFilter has read. Does the"
                                + " filter cover its path? GET, HEAD, OPTIONS and TRACE may come without one."));
    }

    /** What this request presented; empty if nothing, or if no filter has looked. */
    public static Optional<PresentedToken> find(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof PresentedToken presented
                ? Optional.of(presented)
                : Optional.empty();
    }

    /** The token. */
    public FencingToken token() {
        return header.token();
    }

    /** The generation that it was presented with. */
    public int generation() {
        return header.generation();
    }

    /**
     * Checks the token in the transaction of this connection, with {@code SqlFence}, under the name from the path. Make it the
     * first statement. Let the exceptions through: the filter answers 409. Needs {@code holdfast-jdbc}.
     *
     * @throws dev.holdfast.StaleTokenException if a newer token was seen; roll back
     * @throws dev.holdfast.WrongGenerationException if the guard accepts another generation; roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void checkIn(Connection connection) throws SQLException {
        checkIn(connection, resource);
    }

    /**
     * The same, under a name of your own: made of what the path was taken for. {@code /orders/7} and {@code /orders/07} are two
     * paths, and one order to a handler that reads a number.
     *
     * @throws dev.holdfast.StaleTokenException if a newer token was seen; roll back
     * @throws dev.holdfast.WrongGenerationException if the guard accepts another generation; roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void checkIn(Connection connection, String name) throws SQLException {
        SqlTokenGuard.check(connection, name, header);
    }
}

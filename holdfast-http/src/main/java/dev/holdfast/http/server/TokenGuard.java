package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;

/**
 * Keeps the newest token of each resource, where all servers that offer the resource see it. {@link SqlTokenGuard},
 * {@link RedisTokenGuard} and {@link InMemoryTokenGuard} are there; one of your own is a few lines.
 */
@FunctionalInterface
public interface TokenGuard {
    /**
     * Makes this token the newest of the resource, if none newer was seen. A token that is the newest already is accepted.
     * Called by many threads at once; may block.
     *
     * @throws dev.holdfast.StaleTokenException if a newer one was seen
     * @throws dev.holdfast.WrongGenerationException if the guard accepts another generation
     * @throws Exception if it is not known whether a newer one was seen: the request is refused with 503
     */
    void announce(String resource, TokenHeader presented) throws Exception;
}

package dev.holdfast.http.server;

import dev.holdfast.http.TokenHeader;
import dev.holdfast.memory.InMemoryFence;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Newest tokens in this process: for tests, and for resources that end with the process. It forgets with it, so a stale token
 * passes after a restart, and a second server knows nothing of the first. Keeps one entry for each resource.
 */
public final class InMemoryTokenGuard implements TokenGuard {
    private final ConcurrentMap<String, InMemoryFence> fences = new ConcurrentHashMap<>();

    @Override
    public void announce(String resource, TokenHeader presented) {
        fence(resource).withGeneration(presented.generation()).announce(presented.token());
    }

    /** The fence of this resource, to look at it or to move it. */
    public InMemoryFence fence(String resource) {
        return fences.computeIfAbsent(resource, InMemoryFence::new);
    }
}

package dev.holdfast.redis.node;

import org.jspecify.annotations.Nullable;

/**
 * A server of a cluster did nothing, because another one keeps the key now, or will in a moment. Only what knows the cluster
 * sees this: whoever follows it, or gives up and says so.
 */
public final class RedirectException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the server said. */
    public enum Kind {
        /** The slot has another server. */
        MOVED,
        /** This key is at the other server already, the slot is not. */
        ASK,
        /** Some of the keys are here and some there: the slot is on its way. */
        TRY_AGAIN
    }

    private final Kind kind;
    private final transient @Nullable ServerAddress target;

    private RedirectException(Kind kind, @Nullable ServerAddress target, String said) {
        super(said, null, false, false);
        this.kind = kind;
        this.target = target;
    }

    /**
     * What such an error says; null if it is another one.
     *
     * @param host of the server that said so: an empty name stands for the same host
     */
    public static @Nullable RedirectException parse(String error, String host) {
        if (error.startsWith("TRYAGAIN")) {
            return new RedirectException(Kind.TRY_AGAIN, null, error);
        }
        boolean ask = error.startsWith("ASK ");
        if (!ask && !error.startsWith("MOVED ")) {
            return null;
        }
        String[] words = error.split(" ", -1);
        if (words.length < 3) {
            return null;
        }
        try {
            ServerAddress said = ServerAddress.parse(words[2]);
            ServerAddress target =
                    said.host().isEmpty() || said.host().equals("?") ? new ServerAddress(host, said.port()) : said;
            return new RedirectException(ask ? Kind.ASK : Kind.MOVED, target, error);
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }

    public Kind kind() {
        return kind;
    }

    /** Which server to ask; null for {@link Kind#TRY_AGAIN}. */
    public @Nullable ServerAddress target() {
        return target;
    }
}

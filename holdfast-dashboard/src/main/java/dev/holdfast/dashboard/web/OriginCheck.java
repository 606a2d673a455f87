package dev.holdfast.dashboard.web;

import com.sun.net.httpserver.Headers;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a request comes from a page of this site: the browser says so, in headers that pages cannot set. */
final class OriginCheck {
    private static final Set<String> OURS = Set.of("same-origin", "none");

    private OriginCheck() {}

    /** Refuses what a browser sends for a page of another site, or of another port of this host. Others than browsers say nothing. */
    static boolean isForeign(Headers headers) {
        String site = headers.getFirst("Sec-Fetch-Site");
        return site != null && !OURS.contains(site);
    }

    /**
     * For changes: the origin must be named, and be this site. Behind a proxy the name that the browser used is not the one in the
     * header Host; then it must be a name that we were given.
     */
    static boolean isOurs(Headers headers, HostNames names) {
        String origin = authority(headers.getFirst("Origin"));
        String host = headers.getFirst("Host");
        if (origin == null || host == null || isForeign(headers)) {
            return false;
        }
        boolean sameHost = origin.equals(host.toLowerCase(Locale.ROOT));
        boolean throughProxy = headers.getFirst("Sec-Fetch-Site") != null && names.wasGiven(origin);
        return sameHost || throughProxy;
    }

    private static @Nullable String authority(@Nullable String origin) {
        if (origin == null) {
            return null;
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        int slashes = lower.indexOf("://");
        return lower.startsWith("http://") || lower.startsWith("https://") ? lower.substring(slashes + 3) : null;
    }
}

package dev.holdfast.dashboard.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may enter: whoever has a link that was made for them and not used yet; whoever knows the password, if there is one; whoever has
 * shown a client certificate, if the server asks for one. Safe for use by many threads.
 */
public final class Access {
    /** Links that nobody opened are forgotten, the oldest first. */
    private static final int MOST_LINKS = 20;

    private final byte @Nullable [] password;
    private final boolean byCertificate;
    private final Sessions sessions;
    private final Attempts attempts;
    /** For whom a link is, by the digest of its key: how long a look-up takes tells nothing of the key. Guarded by itself. */
    private final Map<String, String> links = new LinkedHashMap<>();

    private Access(@Nullable String password, boolean byCertificate, LongSupplier nanoTime) {
        this.password = password == null ? null : Randoms.digest(password);
        this.byCertificate = byCertificate;
        this.sessions = new Sessions(nanoTime);
        this.attempts = new Attempts(nanoTime);
    }

    /** Only by links: see {@link #newKey}. */
    public static Access byLink() {
        return new Access(null, false, System::nanoTime);
    }

    /** By this password too. */
    public static Access byPassword(String password) {
        Objects.requireNonNull(password, "password");
        if (password.length() < 8) {
            throw new IllegalArgumentException("The password is too short: use at least 8 characters.");
        }
        return new Access(password, false, System::nanoTime);
    }

    /** By a client certificate too, which the server must demand: see {@link Tls}. */
    public static Access byCertificate() {
        return new Access(null, true, System::nanoTime);
    }

    static Access forTest(@Nullable String password, LongSupplier nanoTime) {
        return new Access(password, false, nanoTime);
    }

    /**
     * A key that lets one browser in, once: it goes into a link. It must reach only who may enter, never a log.
     *
     * @param who is let in, for the record
     */
    public String newKey(String who) {
        String key = Randoms.secret();
        synchronized (links) {
            links.put(Randoms.digestText(key), who);
            if (links.size() > MOST_LINKS) {
                links.remove(links.keySet().iterator().next());
            }
        }
        return key;
    }

    boolean hasPassword() {
        return password != null;
    }

    boolean asksForCertificate() {
        return byCertificate;
    }

    /** The cookie of a new session; null if the key is wrong or was used. */
    @Nullable
    String enterByKey(String key) {
        String who;
        synchronized (links) {
            who = links.remove(Randoms.digestText(key));
        }
        return who == null ? null : enter(who);
    }

    /** False for a while after too many wrong passwords. */
    boolean mayTryPassword() {
        return attempts.mayTry();
    }

    /** The cookie of a new session; null if the password is wrong. */
    @Nullable
    String enterByPassword(String tried) {
        if (password == null) {
            return null;
        }
        if (!Randoms.same(password, Randoms.digest(tried))) {
            attempts.failed();
            return null;
        }
        return enter("somebody with the password");
    }

    String enter(String who) {
        return sessions.add(new Session(who, Randoms.secret()));
    }

    @Nullable
    Session find(String cookie) {
        return sessions.find(cookie);
    }

    void leave(String cookie) {
        sessions.remove(cookie);
    }
}

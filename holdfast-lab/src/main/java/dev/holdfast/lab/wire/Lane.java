package dev.holdfast.lab.wire;

import java.util.Locale;

/** The two locks that every story is played on, each with an account of its own. */
public enum Lane {
    /** Holdfast's quorum, with fencing tokens. */
    HOLDFAST,
    /** {@code SET NX PX} on the same five servers, a majority of them, a script for the release; no token. */
    PLAIN;

    public static final String LOCK_NAME = "account";

    /** In messages and on the page. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Where the balance stands, in the server of the account. */
    public String accountKey() {
        return "account:" + id();
    }

    /** All that was ever deposited. Written together with the balance: where the two differ, deposits were lost. */
    public String depositsKey() {
        return accountKey() + ":deposits";
    }

    /** The last deposits, newest first. */
    public String entriesKey() {
        return accountKey() + ":entries";
    }

    /** The key of the plain lock, on each of the five. */
    public static String plainKey() {
        return "plain:" + LOCK_NAME;
    }

    public static Lane of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}

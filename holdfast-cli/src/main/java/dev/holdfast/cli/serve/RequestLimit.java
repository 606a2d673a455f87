package dev.holdfast.cli.serve;

/**
 * How long a request may take to arrive. The JDK's server knows it only as a property of the process, and reads it once: the commands set it
 * before they serve a page. What an answer may take is limited by our own server.
 */
public final class RequestLimit {
    private static final String SECONDS = "10";

    private RequestLimit() {}

    /** Call it before a server is created. */
    public static void set() {
        System.setProperty("sun.net.httpserver.maxReqTime", SECONDS);
    }
}

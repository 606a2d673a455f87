package dev.holdfast.tck;

/**
 * How a separate JVM reaches the store under test.
 *
 * @param factory makes the client there
 * @param url handed to the factory as it is
 */
public record OtherProcess(Class<? extends ClientFactory> factory, String url) {}

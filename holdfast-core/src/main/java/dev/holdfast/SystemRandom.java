package dev.holdfast;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * Numbers that nobody can guess, from the system's own source, and nothing kept for the next one: a process that is restored
 * twice from one snapshot of its memory must not draw the same numbers twice. What the JDK itself reads ahead (256 bytes on
 * Linux) it throws away after 100 ms.
 */
final class SystemRandom implements RandomGenerator {
    private final SecureRandom system = new SecureRandom();

    @Override
    public long nextLong() {
        byte[] bytes = new byte[Long.BYTES];
        system.nextBytes(bytes);
        return ByteBuffer.wrap(bytes).getLong();
    }

    @Override
    public void nextBytes(byte[] bytes) {
        system.nextBytes(bytes);
    }
}

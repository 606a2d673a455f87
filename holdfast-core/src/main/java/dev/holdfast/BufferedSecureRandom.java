package dev.holdfast;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Numbers that nobody can guess, made many at a time: asking the system for each owner would cost more than the rest of an
 * acquisition in memory. The first buffer comes from the system as it is, which is all that a short program needs; the
 * following ones are the key stream of AES in counter mode under a key from the system. Each buffer also brings the key of
 * the next one, and what was handed out is wiped: who reads our memory learns nothing about the past.
 */
final class BufferedSecureRandom implements RandomGenerator {
    private static final int SIZE = 4096;
    private static final int KEY = 32;
    private static final int SEED = KEY + 16;
    private static final byte[] NOTHING = new byte[SIZE];

    private final SecureRandom system = new SecureRandom();
    // Guards everything below.
    private final ReentrantLock lock = new ReentrantLock();
    private final byte[] bytes = new byte[SIZE];
    private byte[] seed = {};
    private int next = SIZE;

    @Override
    public long nextLong() {
        lock.lock();
        try {
            if (next == SIZE) {
                refill();
            }
            long value = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                value = value << 8 | (bytes[next] & 0xff);
                bytes[next++] = 0;
            }
            return value;
        } finally {
            lock.unlock();
        }
    }

    private void refill() {
        next = SEED;
        if (seed.length == 0) {
            system.nextBytes(bytes);
        } else {
            stream();
        }
        seed = Arrays.copyOf(bytes, SEED);
        Arrays.fill(bytes, 0, SEED, (byte) 0);
    }

    private void stream() {
        try {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(
                    Cipher.ENCRYPT_MODE,
                    new SecretKeySpec(seed, 0, KEY, "AES"),
                    new IvParameterSpec(seed, KEY, SEED - KEY));
            cipher.doFinal(NOTHING, 0, SIZE, bytes);
        } catch (GeneralSecurityException e) {
            // A platform without AES: slower, and as good.
            system.nextBytes(bytes);
        }
        Arrays.fill(seed, (byte) 0);
    }
}

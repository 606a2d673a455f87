package dev.holdfast;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Numbers to be handed out, each to the one who counted up to it. */
    private static final class Block {
        final long[] numbers = new long[(SIZE - SEED) / Long.BYTES];
        final AtomicInteger next = new AtomicInteger();
    }

    private final SecureRandom system = new SecureRandom();
    // Guards seed, and makes sure that a block is replaced once.
    private final ReentrantLock lock = new ReentrantLock();
    private byte[] seed = {};
    private volatile Block block = newBlock();

    @Override
    public long nextLong() {
        while (true) {
            Block current = block;
            int index = current.next.getAndIncrement();
            if (index < current.numbers.length) {
                long number = current.numbers[index];
                current.numbers[index] = 0;
                return number;
            }
            replace(current);
        }
    }

    private void replace(Block used) {
        lock.lock();
        try {
            if (block == used) {
                block = newBlock();
            }
        } finally {
            lock.unlock();
        }
    }

    private Block newBlock() {
        byte[] bytes = new byte[SIZE];
        if (seed.length == 0) {
            system.nextBytes(bytes);
        } else {
            stream(bytes);
        }
        seed = Arrays.copyOf(bytes, SEED);
        Block fresh = new Block();
        ByteBuffer.wrap(bytes, SEED, SIZE - SEED).asLongBuffer().get(fresh.numbers);
        Arrays.fill(bytes, (byte) 0);
        return fresh;
    }

    private void stream(byte[] bytes) {
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

package dev.holdfast.redis.cluster;

import java.nio.charset.StandardCharsets;

/** The slot of a key, as every server and client of a cluster computes it: CRC-16 (XMODEM) of the hash tag, or of the whole key. */
final class Slots {
    static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;

    private Slots() {}

    static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        String hashed = close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte next : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (next & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
            crc &= 0xffff;
        }
        return crc % COUNT;
    }
}

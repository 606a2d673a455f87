package dev.holdfast.etcd;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * What a server sends, frame by frame, with two things mended that gRPC's transport cannot bear.
 *
 * <ul>
 *   <li>Servers of etcd 3.4 allow 4 294 967 295 streams at a time. The transport reads that as a signed number, takes it for -1,
 *       and never sends a request.
 *   <li>A server measures the bandwidth with a ping now and then, under load with one for nearly every request. The transport
 *       counts the answers that it has yet to send, to stop a server that floods it, and forgets to count down: after 10 000
 *       pings it hangs up, with requests under way. So after some time these pings are left out. The server does not send
 *       another one before the last was answered, and goes on with what it has measured.
 * </ul>
 *
 * Used by the one thread that reads.
 */
final class ServerFrames extends FilterInputStream {
    private static final int HEADER = 9;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int ACK = 1;

    private static final int ENTRY = 6;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    /** Far more than there are settings. */
    private static final int LONGEST = 100 * ENTRY;

    /** What a server of gRPC in Go writes into a ping that measures. Others ask whether we are there, and are answered. */
    private static final byte[] MEASURING = {2, 4, 16, 16, 9, 14, 7, 7};
    /** The window has its size long before this, and it is far from 10 000. */
    static final int MOST_MEASURING = 1000;

    /** As it came. */
    private final byte[] buffer = new byte[8192];

    private int from;
    private int to;

    /** A frame that is looked at, or the header of another one: as much as has come of it. */
    private final byte[] frame = new byte[HEADER + LONGEST];

    private int collected;
    /** How many bytes of it are collected before it is handed on. */
    private int wanted = HEADER;

    /** How much of it has been handed on. */
    private int served;
    /** What is to come of a frame that is not looked at. */
    private int passing;

    private int measured;

    ServerFrames(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = 0;
        while (count < length) {
            if (served < collected && isComplete()) {
                int some = Math.min(collected - served, length - count);
                System.arraycopy(frame, served, into, offset + count, some);
                served += some;
                count += some;
            } else if (from == to) {
                if (count > 0 || !fill()) {
                    return count > 0 || length == 0 ? count : -1;
                }
            } else if (passing > 0) {
                int some = Math.min(Math.min(passing, to - from), length - count);
                System.arraycopy(buffer, from, into, offset + count, some);
                from += some;
                passing -= some;
                count += some;
            } else {
                collect();
            }
        }
        return count;
    }

    private boolean fill() throws IOException {
        from = 0;
        to = Math.max(0, in.read(buffer, 0, buffer.length));
        if (to > 0) {
            return true;
        }
        // The end. What has come of a frame is for the reader to complain about.
        boolean more = served < collected;
        wanted = collected;
        return more;
    }

    private boolean isComplete() {
        return collected == wanted;
    }

    private void collect() {
        if (served == collected && isComplete()) {
            served = 0;
            collected = 0;
            wanted = HEADER;
        }
        int some = Math.min(wanted - collected, to - from);
        System.arraycopy(buffer, from, frame, collected, some);
        from += some;
        collected += some;
        if (collected == HEADER && wanted == HEADER) {
            int length = (frame[0] & 0xff) << 16 | (frame[1] & 0xff) << 8 | (frame[2] & 0xff);
            if (isLookedAt(length)) {
                wanted = HEADER + length;
            } else {
                passing = length;
            }
        }
        if (isComplete() && passing == 0 && wanted > HEADER) {
            mend();
        }
    }

    private boolean isLookedAt(int length) {
        return (frame[4] & ACK) == 0 && (frame[3] == SETTINGS || frame[3] == PING) && length > 0 && length <= LONGEST;
    }

    private void mend() {
        if (frame[3] == SETTINGS) {
            for (int at = HEADER; at + ENTRY <= collected; at += ENTRY) {
                boolean isLimit = frame[at] == 0 && frame[at + 1] == MAX_CONCURRENT_STREAMS;
                if (isLimit && frame[at + 2] < 0) {
                    frame[at + 2] = 0x7f;
                }
            }
        } else if (Arrays.equals(frame, HEADER, collected, MEASURING, 0, MEASURING.length)
                && ++measured > MOST_MEASURING) {
            served = collected;
        }
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public long skip(long count) throws IOException {
        throw new IOException("Not supported: every frame has to be read");
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}

package dev.holdfast.tck;

import dev.holdfast.Lease;

/** Who reads and who writes, and the tokens seen so far: what a fenced resource would see. */
final class ReadWriteRecord {
    private int readers;
    private int writers;
    private long highest;
    private long highestWriter;

    /** Returns false beside a writer, or after a writer whose token is not below this one. */
    synchronized boolean read(Lease lease) {
        long token = lease.token().value();
        readers++;
        highest = Math.max(highest, token);
        return writers == 0 && token > highestWriter;
    }

    /** Returns false beside anybody, or after anybody whose token is not below this one. */
    synchronized boolean write(Lease lease) {
        long token = lease.token().value();
        boolean above = token > highest;
        highest = Math.max(highest, token);
        highestWriter = Math.max(highestWriter, token);
        return ++writers == 1 && readers == 0 && above;
    }

    synchronized void stopReading() {
        readers--;
    }

    synchronized void stopWriting() {
        writers--;
    }
}

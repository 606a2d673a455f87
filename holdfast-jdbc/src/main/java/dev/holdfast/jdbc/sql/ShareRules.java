package dev.holdfast.jdbc.sql;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Who may be given what, beside those who hold something of the same key. Nothing is counted: a semaphore's slot is taken or
 * free. Not safe for use by many threads.
 */
final class ShareRules {
    /** What a claim is given. */
    record Given(ShareClaim claim, int number) {}

    private final boolean semaphore;
    private final BitSet taken = new BitSet();
    private boolean onlyReaders = true;

    /** @param held those that have not expired */
    ShareRules(String key, List<Share> held) {
        semaphore = LockKey.kindOf(key) == LockKind.SEMAPHORE;
        held.forEach(each -> take(each.number(), each.isReader()));
    }

    private void take(int number, boolean reader) {
        taken.set(number);
        onlyReaders &= reader;
    }

    /** What this claim can have now, if nobody is in front of it; negative if nothing. */
    int numberFor(ShareClaim claim) {
        if (semaphore) {
            int slot = taken.nextClearBit(0);
            return slot < claim.slots() ? slot : -1;
        }
        if (claim.kind().equals(Share.READER)) {
            return onlyReaders ? taken.nextClearBit(1) : -1;
        }
        return taken.isEmpty() ? 0 : -1;
    }

    /** Whether this claim may be served once that number is free. */
    boolean waitsFor(ShareClaim claim, int number) {
        return !semaphore || number < claim.slots();
    }

    /** Gives what is free to those in line, in their order. */
    List<Given> serve(List<ShareClaim> line) {
        List<Given> given = new ArrayList<>();
        for (ShareClaim claim : line) {
            int number = numberFor(claim);
            if (number >= 0) {
                take(number, claim.kind().equals(Share.READER));
                given.add(new Given(claim, number));
            } else if (!semaphore) {
                // Nobody passes the first that has to wait. Of a semaphore, somebody with more slots may.
                break;
            }
        }
        return given;
    }
}

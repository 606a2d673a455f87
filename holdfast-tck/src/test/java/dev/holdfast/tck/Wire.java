package dev.holdfast.tck;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;

/** How a claim travels between {@link SocketBackend} and {@link ServedStore}. */
final class Wire {
    private static final long NOT_QUEUED = -1;

    private Wire() {}

    static void writeClaim(Claim claim, DataOutputStream out) throws IOException {
        out.writeUTF(claim.key());
        out.writeUTF(claim.owner().toString());
        out.writeLong(claim.lease().toNanos());
        out.writeInt(claim.tokens());
        out.writeInt(claim.slots());
        out.writeBoolean(claim.shared());
        out.writeLong(claim.queue() ? claim.sinceMicros() : NOT_QUEUED);
        out.writeUTF(claim.holder().host());
        out.writeLong(claim.holder().pid());
        out.writeUTF(claim.holder().description());
    }

    static Claim readClaim(DataInputStream in) throws IOException {
        String name = in.readUTF();
        Owner owner = Owner.parse(in.readUTF());
        Duration lease = Duration.ofNanos(in.readLong());
        int tokens = in.readInt();
        int slots = in.readInt();
        boolean shared = in.readBoolean();
        long since = in.readLong();
        Holder holder = new Holder(in.readUTF(), in.readLong(), in.readUTF());
        Claim whole = Claim.of(name, owner, lease, tokens, holder).forAnyOf(slots);
        Claim claim = shared ? whole.forReading() : whole;
        return since == NOT_QUEUED ? claim : claim.queuedSince(since);
    }

    /** The same claim for another name or another lease. */
    static Claim like(Claim claim, String name, Duration lease) {
        Claim copy = unqueued(Claim.of(name, claim.owner(), lease, claim.tokens(), claim.holder()), claim);
        return claim.queue() ? copy.queuedSince(claim.sinceMicros()) : copy;
    }

    /** The same claim without a place in the queue. */
    static Claim unqueued(Claim claim) {
        return unqueued(Claim.of(claim.key(), claim.owner(), claim.lease(), claim.tokens(), claim.holder()), claim);
    }

    private static Claim unqueued(Claim copy, Claim claim) {
        Claim slots = copy.forAnyOf(claim.slots());
        return claim.shared() ? slots.forReading() : slots;
    }
}

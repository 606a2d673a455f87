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
    private Wire() {}

    static void writeClaim(Claim claim, DataOutputStream out) throws IOException {
        out.writeUTF(claim.name());
        out.writeUTF(claim.owner().toString());
        out.writeLong(claim.lease().toNanos());
        out.writeInt(claim.tokens());
        out.writeBoolean(claim.queue());
        out.writeUTF(claim.holder().host());
        out.writeLong(claim.holder().pid());
        out.writeUTF(claim.holder().description());
    }

    static Claim readClaim(DataInputStream in) throws IOException {
        return new Claim(
                in.readUTF(),
                Owner.parse(in.readUTF()),
                Duration.ofNanos(in.readLong()),
                in.readInt(),
                in.readBoolean(),
                new Holder(in.readUTF(), in.readLong(), in.readUTF()));
    }
}

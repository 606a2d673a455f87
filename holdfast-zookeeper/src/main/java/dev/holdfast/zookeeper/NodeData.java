package dev.holdfast.zookeeper;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What a claim says about itself, in lines that people can read. The description comes last, so it may be anything. */
record NodeData(int tokens, Duration lease, Duration session, Holder holder) {
    private static final String VERSION = "1";
    private static final int LINES = 7;

    static byte[] of(Claim claim, int tokens, Duration session) {
        Holder holder = claim.holder();
        return String.join(
                        "\n",
                        VERSION,
                        Integer.toString(tokens),
                        Long.toString(claim.lease().toMillis()),
                        Long.toString(session.toMillis()),
                        Long.toString(holder.pid()),
                        holder.host(),
                        holder.description())
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads what {@link #of} wrote.
     *
     * @throws IllegalArgumentException if somebody else wrote it
     */
    static NodeData parse(String text) {
        String[] lines = text.split("\n", LINES);
        if (lines.length < LINES || !lines[0].equals(VERSION)) {
            throw new IllegalArgumentException("Not the data of a claim");
        }
        return new NodeData(
                Integer.parseInt(lines[1]),
                Duration.ofMillis(Long.parseLong(lines[2])),
                Duration.ofMillis(Long.parseLong(lines[3])),
                new Holder(lines[5], Long.parseLong(lines[4]), lines[6]));
    }
}

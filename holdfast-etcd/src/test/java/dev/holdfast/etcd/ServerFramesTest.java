package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ServerFramesTest {
    private static final String BEHIND = "000004040100000000";

    @Test
    void aLimitThatIsReadAsNegativeIsMadeReadable() throws IOException {
        // As a server of etcd 3.4 sends it: four billion streams, and the largest frame.
        String sent = "00000c0400000000000003ffffffff000500004000";
        String read = "00000c04000000000000037fffffff000500004000";
        assertThat(read(sent + BEHIND)).isEqualTo(read + BEHIND);
    }

    @Test
    void everythingElsePassesAsItIs() throws IOException {
        for (String sent : new String[] {
            "",
            "0000",
            "000006040000000000",
            "000006040000000000000300",
            "00000604000000000000030000007f" + BEHIND,
            "000006040000000000000580000000" + BEHIND,
            "ffffff040000000000000300000001",
            "485454502f312e3120343030204261642052657175657374"
        }) {
            assertThat(read(sent)).isEqualTo(sent);
        }
    }

    @Test
    void aServerThatMeasuresForeverIsLeftWithoutAnAnswer() throws IOException {
        // Otherwise the transport hangs up after 10 000 of them.
        String measures = "0000080600000000000204101009" + "0e0707";
        String asks = "0000080600000000000106010800030309";
        String data = "0000030000000000070a0b0c";
        String few = measures.repeat(ServerFrames.MOST_MEASURING) + asks + data;
        assertThat(read(few + (measures + data).repeat(50) + asks)).isEqualTo(few + data.repeat(50) + asks);
    }

    @Test
    void framesLongerThanTheBufferPass() throws IOException {
        String data = "004e2000000000000" + "7" + "5a".repeat(20_000);
        assertThat(read(data + BEHIND + data)).isEqualTo(data + BEHIND + data);
    }

    /** However it comes: all at once, or byte by byte. */
    private static String read(String hex) throws IOException {
        byte[] sent = HexFormat.of().parseHex(hex);
        String atOnce;
        try (ServerFrames stream = new ServerFrames(new ByteArrayInputStream(sent))) {
            atOnce = HexFormat.of().formatHex(stream.readAllBytes());
        }
        InputStream dripping = new ByteArrayInputStream(sent) {
            @Override
            public int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(1, length));
            }
        };
        try (ServerFrames stream = new ServerFrames(dripping)) {
            assertThat(HexFormat.of().formatHex(stream.readAllBytes())).isEqualTo(atOnce);
        }
        return atOnce;
    }
}

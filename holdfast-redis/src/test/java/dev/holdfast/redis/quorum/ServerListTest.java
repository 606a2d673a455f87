package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.quorum.ListBinding.Kind;
import dev.holdfast.redis.quorum.ListBinding.Sighting;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which lists of servers are the same, and which server may be bound to one. */
class ServerListTest {
    private static final ServerList LIST = ServerList.of(List.of("a:1", "b:2", "c:3", "d:4", "e:5"));

    private static ServerList ofUrl(String url) {
        return ServerList.ofUrls(ServerList.parse(url));
    }

    // ---- names

    @ParameterizedTest
    @CsvSource({
        "redlock://B:2/,redlock://b:2/",
        "redlock://localhost:7/,redlock://127.0.0.1:7/",
        "redlock://b.example.:2/,redlock://b.example:2/",
        "redlock://b/,redlock://b:6379/",
        "redlock://[::1]:7/,redlock://[0:0:0:0:0:0:0:1]:7/",
        "redlock://b:2=10.0.0.2:9/,redlock://b:2/",
    })
    void whatIsOftenWrittenDifferentlyIsTheSame(String one, String other) {
        assertThat(ofUrl(one).digest()).isEqualTo(ofUrl(other).digest());
    }

    @Test
    void theOrderDoesNotMatterAndTheLoginIsNoPartOfIt() {
        assertThat(ofUrl("redlock://me:pass=word@c:3,a:1,b:2/0").digest())
                .isEqualTo(ofUrl("redlock://a:1,b:2,c:3").digest());
        assertThat(ofUrl("redlock://a:1,b:2,c:3").text()).isEqualTo("a:1,b:2,c:3");
    }

    @Test
    void aNameStandsForTheServerAndTheAddressBehindItIsConnectedTo() {
        List<String> urls = ServerList.parse("redlock://me:pw@one=10.0.0.1:7,b:2,three=[::1]:9/2");
        assertThat(urls)
                .containsExactly(
                        "one=redis://me:pw@10.0.0.1:7/2", "redis://me:pw@b:2/2", "three=redis://me:pw@[::1]:9/2");
        assertThat(ServerList.bare(urls))
                .containsExactly("redis://me:pw@10.0.0.1:7/2", "redis://me:pw@b:2/2", "redis://me:pw@[::1]:9/2");
        assertThat(ServerList.ofUrls(urls).names()).containsExactly("one", "b:2", "three");
    }

    @Test
    void aPasswordWithAnEqualsSignIsNoName() {
        assertThat(ServerList.ofUrls(List.of("redis://me:a=b@host:1")).names()).containsExactly("host:1");
        assertThat(ServerList.bare(List.of("redis://me:a=b@host:1"))).containsExactly("redis://me:a=b@host:1");
    }

    @Test
    void namesThatMeetAreRefused() {
        assertThatThrownBy(() -> ofUrl("redlock://localhost:7,127.0.0.1:7,c:3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("127.0.0.1:7 is listed twice");
        assertThatThrownBy(() -> ServerList.of(List.of("a b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without spaces");
    }

    @Test
    void theDifferenceIsToldFromBothSides() {
        assertThat(LIST.difference("a:1,b:2,c:3,d:4,f:6"))
                .contains("It has f:6, which this client does not list")
                .contains("This client lists e:5, which the quorum does not have");
    }

    // ---- which node may be bound

    private static Sighting seen(Kind kind) {
        return seen(kind, 1);
    }

    private static Sighting seen(Kind kind, long version) {
        return new Sighting(kind, version, kind == Kind.SILENT ? "no answer" : "a:1,b:2,c:3,d:4,f:6");
    }

    private static ListBinding of(Sighting... sightings) {
        return new ListBinding(LIST, Arrays.asList(sightings));
    }

    @Test
    void anEmptyNodeIsBoundToAListThatAMajorityOfTheOthersHas() {
        ListBinding two =
                of(seen(Kind.EMPTY), seen(Kind.VOTES, 3), seen(Kind.VOTES, 3), seen(Kind.VOTES, 3), seen(Kind.SILENT));
        assertThat(two.obstacle(0)).isNull();
        assertThat(two.versionFor(0)).isEqualTo(3);
    }

    @Test
    void anEmptyNodeIsNotBoundToAListThatTheOthersDoNotHave() {
        // A client with a sixth server in the place of the fifth.
        ListBinding wrong =
                of(seen(Kind.OTHER), seen(Kind.OTHER), seen(Kind.OTHER), seen(Kind.OTHER), seen(Kind.EMPTY));
        assertThat(wrong.obstacle(4)).contains("f:6, which this client does not list");
    }

    @Test
    void whereTooFewKnowTheListEveryServerHasToAnswer() {
        assertThat(of(seen(Kind.EMPTY), seen(Kind.EMPTY), seen(Kind.EMPTY), seen(Kind.EMPTY), seen(Kind.SILENT))
                        .obstacle(0))
                .contains("all 5 on the list have to answer, and 1 do not");
        ListBinding all = of(seen(Kind.EMPTY), seen(Kind.EMPTY), seen(Kind.EMPTY), seen(Kind.VOTES), seen(Kind.OURS));
        assertThat(all.obstacle(0)).isNull();
        assertThat(all.versionFor(0)).isZero();
    }

    @Test
    void aNodeThatMissedAReplacementFollowsAndNeverTheOtherWayRound() {
        ListBinding later = of(
                seen(Kind.OTHER, 1), seen(Kind.VOTES, 2), seen(Kind.VOTES, 2), seen(Kind.VOTES, 2), seen(Kind.SILENT));
        assertThat(later.obstacle(0)).isNull();
        ListBinding earlier = of(
                seen(Kind.OTHER, 2), seen(Kind.VOTES, 1), seen(Kind.VOTES, 1), seen(Kind.VOTES, 1), seen(Kind.SILENT));
        assertThat(earlier.obstacle(0)).contains("another list");
    }

    // ---- records

    @Test
    void recordsAreReadInBothForms() {
        assertThat(AdmissionRecord.parse("admitted d1:run:data 60000 2 a:1,b:2"))
                .isEqualTo(new AdmissionRecord("d1", "run:data", 60000, null, 0, 2, "a:1,b:2"));
        assertThat(AdmissionRecord.parse("pending d1:run:data 60000 n-1 500 0 a:1,b:2"))
                .isEqualTo(new AdmissionRecord("d1", "run:data", 60000, "n-1", 500, 0, "a:1,b:2"));
        assertThat(AdmissionRecord.parse("pending d1:run:data 60000")).isNull();
        assertThat(AdmissionRecord.parse("")).isNull();
        assertThat(AdmissionRecord.parse("something else")).isNull();
    }
}

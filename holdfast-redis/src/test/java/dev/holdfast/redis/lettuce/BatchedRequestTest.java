package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which requests travel together, in what order, and who gets which answer. */
class BatchedRequestTest {
    private static final String ADMITTED = "admitted 5:a:b ";

    private final List<Request> asked = new ArrayList<>();
    private final List<Object> answers = new ArrayList<>();
    private final List<Request> sent = new ArrayList<>();

    private void ask(Script script, String name, String... arguments) {
        int place = answers.size();
        answers.add("none");
        Call call = new Call(script, Keys.standard().ofQuorum(name), arguments);
        asked.add(new Request(
                CommandType.EVALSHA,
                call,
                (reply, failure) -> answers.set(place, failure == null ? reply : failure.getMessage())));
    }

    private void claim(String owner, String name, String lease, String notAfter) {
        ask(Script.QUORUM_ACQUIRE, name, ADMITTED, owner, "1", lease, "16", "7 here ", notAfter, "80", "");
    }

    private void claim(String owner, String name) {
        claim(owner, name, "30000", "5000");
    }

    private void release(String owner, String name) {
        ask(Script.QUORUM_RELEASE, name, ADMITTED, owner, "2000");
    }

    private void send() {
        BatchedRequest.send(asked, sent::add);
    }

    /** Each request that was sent, as its script and the names of its locks. */
    private List<String> whatWasSent() {
        return sent.stream()
                .map(request -> {
                    String names = Arrays.stream(request.call().keys)
                            .filter(key -> key.contains(":lock:"))
                            .map(key -> key.substring(key.lastIndexOf(':') + 1))
                            .reduce("", String::concat);
                    return request.call().script + " " + names;
                })
                .toList();
    }

    @Test
    void oneByItselfIsSentAsItIs() {
        claim("o1", "x");
        send();
        assertThat(sent).isEqualTo(asked);
    }

    @Test
    void claimsGoTogetherAndSoDoReleasesWhichComeFirst() {
        // The lock that was released is claimed again in the same turn.
        claim("o2", "y");
        release("o1", "x");
        claim("o3", "x");
        release("o4", "z");
        send();
        assertThat(whatWasSent()).containsExactly("QUORUM_RELEASE_BATCH xz", "QUORUM_ACQUIRE_BATCH yx");
    }

    @Test
    void aReleaseNeverOvertakesItsClaim() {
        // Won with the votes of other nodes before this one was asked. Nor does the next claim overtake that release.
        claim("o1", "x");
        claim("o2", "y");
        release("o1", "x");
        claim("o3", "x");
        claim("o4", "z");
        send();
        assertThat(whatWasSent())
                .containsExactly("QUORUM_ACQUIRE_BATCH xy", "QUORUM_RELEASE x", "QUORUM_ACQUIRE_BATCH xz");
    }

    @Test
    void onlyWhatIsAlikeGoesTogether() {
        claim("o1", "x");
        claim("o2", "y", "1000", "5000");
        claim("o3", "z", "1000", "5000");
        send();
        assertThat(whatWasSent()).containsExactly("QUORUM_ACQUIRE x", "QUORUM_ACQUIRE_BATCH yz");
    }

    @Test
    void aBatchHasAnEnd() {
        for (int i = 0; i < 65; i++) {
            claim("o" + i, "x");
        }
        send();
        assertThat(whatWasSent()).hasSize(2).last().isEqualTo("QUORUM_ACQUIRE x");
    }

    @Test
    void whoseTimeRanOutBeforeItWasSentStaysBehind() {
        claim("o1", "x");
        claim("o2", "y");
        claim("o3", "z");
        asked.get(1).completeExceptionally(new IllegalStateException("no answer in time"));
        send();
        assertThat(whatWasSent()).containsExactly("QUORUM_ACQUIRE_BATCH xz");
    }

    @Test
    void whatIsTheSameIsSaidOnce() {
        claim("o1", "x", "30000", "10000");
        claim("o2", "y", "30000", "9999");
        send();
        assertThat(sent.get(0).call().arguments)
                .containsExactly(
                        ADMITTED, "30000", "16", "7 here ", "o1", "1", "10000", "80", "", "o2", "1", "9999", "80", "");
    }

    // ---- answers

    private void twoClaims() {
        claim("o1", "x");
        claim("o2", "y");
        send();
    }

    private Reply reply() {
        return (Reply) sent.get(sent.size() - 1).getOutput();
    }

    private void complete() {
        sent.get(sent.size() - 1).complete();
    }

    @Test
    void eachGetsItsOwnAnswer() {
        twoClaims();
        reply().multi(2);
        reply().set(7);
        reply().multi(2);
        reply().set(0);
        reply().set(9);
        reply().complete(1);
        complete();
        assertThat(answers).containsExactly(List.of(7L), List.of(0L, 9L));
    }

    @Test
    void whatFailsByItselfFailsAlone() {
        twoClaims();
        reply().multi(2);
        reply().multi(2);
        reply().set(-4);
        reply().set(StandardCharsets.UTF_8.encode("HOLDFAST-FOREIGN x"));
        reply().complete(1);
        reply().set(7);
        complete();
        assertThat(answers).containsExactly("HOLDFAST-FOREIGN x", List.of(7L));
    }

    @Test
    void aNodeThatRefusesAnswersAll() {
        twoClaims();
        reply().multi(2);
        reply().set(-1);
        reply().set(9);
        complete();
        assertThat(answers).containsExactly(List.of(-1L, 9L), List.of(-1L, 9L));
    }

    @Test
    void aFailureIsThatOfAll() {
        twoClaims();
        sent.get(0).completeExceptionally(new IllegalStateException("broken"));
        assertThat(answers).containsExactly("broken", "broken");
    }

    @Test
    void anAnswerThatNobodyUnderstandsFailsOneRequest() {
        twoClaims();
        reply().multi(2);
        reply().multi(0);
        reply().complete(1);
        reply().set(7);
        complete();
        assertThat(answers).last().isEqualTo(List.of(7L));
        assertThat(asked).allMatch(Request::isDone);
    }

    @Test
    void aFailureOfTheScriptIsToldWithTheScriptThatRan() {
        // The server names a line, and that line stands in the batch's script.
        List<Throwable> failures = new ArrayList<>();
        for (String name : List.of("x", "y")) {
            claim("owner of " + name, name);
            Call call = asked.remove(asked.size() - 1).call();
            asked.add(new Request(CommandType.EVALSHA, call, (reply, failure) -> failures.add(failure)));
        }
        send();
        sent.get(0).completeExceptionally(new RedisCommandExecutionException("NOPERM on @user_script:7"));
        assertThat(failures)
                .hasSize(2)
                .allSatisfy(failure ->
                        assertThat(((BatchedRequest.Failure) failure).script).isEqualTo(Script.QUORUM_ACQUIRE_BATCH));
    }

    @Test
    void ifOneHasGivenUpNobodyIsTaughtOnItsBehalf() {
        // Who has given up has undone what the batch would do. The others ask for themselves.
        twoClaims();
        asked.get(0).completeExceptionally(new IllegalStateException("no answer in time"));
        sent.get(0).completeExceptionally(new RedisCommandExecutionException("NOSCRIPT No matching script"));
        assertThat(sent).hasSize(1);
        assertThat(answers).containsExactly("no answer in time", "NOSCRIPT No matching script");
    }

    @Test
    void aServerThatDoesNotKnowTheScriptIsTaughtIt() {
        twoClaims();
        sent.get(0).completeExceptionally(new RedisCommandExecutionException("NOSCRIPT No matching script"));
        assertThat(answers).containsExactly("none", "none");
        assertThat(sent).hasSize(2);
        reply().multi(2);
        reply().set(7);
        reply().set(8);
        complete();
        assertThat(answers).containsExactly(List.of(7L), List.of(8L));
    }
}

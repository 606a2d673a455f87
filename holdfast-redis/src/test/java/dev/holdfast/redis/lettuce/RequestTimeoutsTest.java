package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTimeoutsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final ManualTime time = new ManualTime();
    private final RequestTimeouts underway = new RequestTimeouts(time, TIMEOUT);
    private final List<String> ended = new ArrayList<>();

    private Request send(String name) {
        Request request = new Request(CommandType.TIME, Frame.of("TIME"), (reply, failure) -> {
            underway.forgetAnswered();
            ended.add(name + (failure instanceof RedisCommandTimeoutException ? " in vain" : ""));
        });
        underway.add(request);
        return request;
    }

    @Test
    void eachRequestHasItsOwnTimeThoughThereIsOneTimer() {
        // The second is sent 60 ms after the first, and nothing else happens. Each ends 100 ms after it was sent.
        send("first");
        time.advance(Duration.ofMillis(60));
        send("second");
        time.advance(Duration.ofMillis(39));
        assertThat(ended).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(ended).containsExactly("first in vain");
        time.advance(Duration.ofMillis(59));
        assertThat(ended).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(ended).containsExactly("first in vain", "second in vain");
    }

    @Test
    void anAnswerInTimeIsTheEnd() {
        // The first is answered; the timer, set for it, finds the second, which has time left.
        Request first = send("first");
        time.advance(Duration.ofMillis(50));
        send("second");
        first.complete();
        time.advance(Duration.ofMillis(50));
        assertThat(ended).containsExactly("first");
        time.advance(Duration.ofMillis(50));
        assertThat(ended).containsExactly("first", "second in vain");
    }

    @Test
    void afterAPauseTheTimerIsSetAgain() {
        // Nothing was under way when the timer rang.
        send("first").complete();
        time.advance(Duration.ofSeconds(1));
        send("second");
        time.advance(TIMEOUT);
        assertThat(ended).containsExactly("first", "second in vain");
    }

    @Test
    void whatComesTooLateIsNotHeard() {
        Request request = send("first");
        time.advance(TIMEOUT);
        request.complete();
        request.cancel();
        assertThat(ended).containsExactly("first in vain");
    }
}

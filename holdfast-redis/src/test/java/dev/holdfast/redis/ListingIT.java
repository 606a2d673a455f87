package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockListener;
import dev.holdfast.LockState;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Listing among keys that are not ours. */
@Timeout(240)
class ListingIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Test
    void whatIsForeignIsLeftOutAndCounted() throws Exception {
        // A value of another type where the waiters stand used to fail the whole listing, and one where the lock stands
        // was not told of.
        List<String> heard = new CopyOnWriteArrayList<>();
        Keys keys = Keys.standard();
        try (Holdfast holdfast = Holdfast.builder(Patient.backend(redis.url()))
                .listener(new LockListener() {
                    @Override
                    public void notice(BackendNotice notice) {
                        heard.add(notice.text());
                    }
                })
                .build()) {
            Lease good = holdfast.lock("good").acquire(PATIENCE);
            Lease queueless = holdfast.lock("queueless").acquire(PATIENCE);
            redis.call("SET", keys.queue("queueless"), "not a list");
            redis.call("SET", keys.lock("garbage"), "\u0000 x y z");
            redis.call("SET", keys.lock("numbers"), "AAAAAAAAAAAAAAAAAAAAAA 99999999999999999999 1 -1 x 7 h d");
            redis.call("LPUSH", keys.lock("list"), "x");
            redis.call("SET", keys.lock("elsewhere").replace("{", "{1"), "x");
            assertThat(holdfast.list("", 100)).extracting(LockState::name).containsExactly("good", "queueless");
            await().atMost(PATIENCE).until(() -> !heard.isEmpty());
            assertThat(heard).singleElement().asString().contains("4 hold something", "holdfast:2:");
            redis.call("DEL", keys.queue("queueless"));
            good.close();
            queueless.close();
        }
    }
}

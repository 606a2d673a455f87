package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKey;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import dev.holdfast.simulation.RedisMemory.RedisError;
import dev.holdfast.simulation.RedisMemory.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ModelIT {
    @RegisterExtension
    static final RedisServer REDIS = RedisServer.embedded();

    private static final String RESERVATION = "reservation";
    private static final String[] KEYS = {"k1", "k2", "k3"};
    private static final String[] VALUES = {"a", "b", "17", "owner inbox 30000 16 1 x since=5 1 host here"};
    private static final String[] NUMBERS = {"0", "-1", "-2", "100000", "200000", "x"};

    private final SplittableRandom random = new SplittableRandom(7);
    private int times;
    private final RedisMemory model = new RedisMemory(new RedisMemory.Surroundings() {
        @Override
        public long micros() {
            return System.currentTimeMillis() * 1000;
        }

        @Override
        public long publish(String channel, String message) {
            return 0;
        }
    });

    @Test
    void theModelAnswersEveryCommandAsRedisDoes() throws IOException {
        // The same random commands, with keys of the wrong type and numbers that are none, to a real server and to the
        // model.
        try (Resp real = new Resp(REDIS.port())) {
            for (int i = 0; i < 20_000; i++) {
                if (i % 50 == 0) {
                    for (String key : KEYS) {
                        real.call("DEL", key);
                        model.call("DEL", key);
                    }
                }
                String[] command = command();
                assertThat(ofModel(command)).as(String.join(" ", command)).isEqualTo(ofReal(real, command));
            }
        }
    }

    private String[] command() {
        String key = pick(KEYS);
        return switch (random.nextInt(27)) {
            case 0 -> words("GET", key);
            case 1 -> words("MGET", key, pick(KEYS));
            case 2 -> words("SET", key, pick(VALUES));
            case 3 -> words("SET", key, pick(VALUES), "PX", pick(NUMBERS));
            case 4 -> words("SET", key, pick(VALUES), "PX", "100000", "NX");
            case 5 -> words("SET", key, pick(VALUES), "GET");
            case 6 -> words("DEL", key);
            case 7 -> words("PTTL", key);
            case 8 -> words("PEXPIRE", key, pick(NUMBERS));
            case 9 -> words("PEXPIRE", key, Integer.toString(anotherTime()), "GT");
            case 10 -> words("LPOP", key);
            case 11 -> words("RPUSH", key, pick(VALUES));
            case 12 -> words("LLEN", key);
            case 13 -> words("LPOS", key, pick(VALUES));
            case 14 -> words("LRANGE", key, pick("0", "1", "-1", "-2"), pick("-1", "0", "3"));
            case 15 -> words("SET", key, pick(VALUES), "KEEPTTL");
            case 16 -> words("SET", key, pick(VALUES), "PX", "200000", "XX");
            case 17 -> words("SET", key, pick(VALUES), "PX", "200000", pick("NX", "XX"), "GET");
            case 18 -> words("DEL", key, pick(KEYS));
            case 19 -> words("EXISTS", key, pick(KEYS));
            case 20 -> words("HSET", key, pick("f", "g"), pick(VALUES));
            case 21 -> words("HGET", key, pick("f", "g"));
            case 22 -> words("HDEL", key, pick("f", "g"));
            case 23 -> words("HGET", key, "h");
            case 24 -> words("LPUSH", key, pick(VALUES));
            case 25 -> words("LINDEX", key, pick("0", "1", "-1", "-3"));
            default -> words("LREM", key, pick("0", "1"), pick(VALUES));
        };
    }

    /** Seconds away from all that a key may have, and from where {@link #coarse} rounds: the two are not asked at the same moment. */
    private int anotherTime() {
        return 34_000 + times++ * 37 % 86 * 10_000;
    }

    @Test
    void theShippedScriptsDoInTheModelWhatTheyDoInRedis() throws IOException {
        // Random sequences of our scripts by a few owners. The counter stands above the clock, so that tokens are the
        // same.
        try (Resp real = new Resp(REDIS.port());
                LuaMachine lua = new LuaMachine()) {
            String[] keys = SimulatedBackends.keys("name", false);
            for (int i = 0; i < 10_000; i++) {
                if (i % 40 == 0) {
                    for (String[] command : List.of(
                            words("DEL", keys[0]), words("DEL", keys[1]), words("SET", keys[2], "4503599627370496"))) {
                        real.call(command);
                        model.call(command);
                    }
                }
                step(real, lua, keys);
            }
        }
    }

    private void step(Resp real, LuaMachine lua, String... keys) throws IOException {
        String owner = pick("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCCCCCCCC");
        String notAfter = random.nextInt(8) == 0 ? "1" : "9000000000000000";
        String lease = pick("100000", "200000");
        boolean queue = random.nextBoolean();
        // Nobody is subscribed: what is counted is passed over, what is not is served.
        String counted = pick("0", "1");
        String context = "50000 run";
        String entry = owner + " inbox " + lease + " 16 " + counted + " x since=5 1 host what";
        String[] claim = {context, owner, lease, "16", "x - 1 host what", notAfter, queue ? entry : ""};
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> both(real, lua, "ACQUIRE", keys, claim);
            case 3 -> both(real, lua, "RELEASE", keys, context, owner);
            case 4 -> {
                String[] both = Arrays.copyOf(claim, 8);
                both[7] = pick("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB");
                both(real, lua, "RECLAIM", keys, both);
            }
            case 5 -> {
                String value = String.valueOf(model.peek(keys[0]));
                String ours = owner + " " + (value.startsWith(owner) ? value.split(" ", 3)[1] : "17") + " ";
                both(real, lua, "RENEW", new String[] {keys[0]}, ours, pick("50000", "300000"));
            }
            case 9 -> {
                String value = String.valueOf(model.peek(keys[0]));
                String ours = owner + " " + (value.startsWith(owner) ? value.split(" ", 3)[1] : "17") + " ";
                both(real, lua, "RELEASE_LATER", Arrays.copyOf(keys, 2), ours, pick("50000", "300000"));
            }
            case 6 -> both(real, lua, "WITHDRAW", keys, context, owner, random.nextBoolean() ? entry : "");
            case 7 -> both(real, lua, "HANDOVER", keys, context);
            default -> both(real, lua, random.nextBoolean() ? "BREAK" : "DESCRIBE", keys, context, owner);
        }
        if (random.nextInt(20) == 0) {
            both(real, words("PEXPIRE", keys[0], "-1"));
        }
        both(real, words("LRANGE", keys[1], "0", "-1"));
        both(real, words("GET", keys[0]));
        both(real, words("PTTL", keys[0]));
        both(real, words("PTTL", keys[1]));
        both(real, words("GET", keys[2]));
    }

    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void theScriptsOfSemaphoresAndReadWriteLocksDoInTheModelWhatTheyDoInRedis() throws IOException {
        // The same for a semaphore of two slots, which some believe to have one, and for a read-write lock.
        try (Resp real = new Resp(REDIS.port());
                LuaMachine lua = new LuaMachine()) {
            String[] slots = SimulatedBackends.keysOf(LockKey.semaphore("name"), 2);
            String[] shares = SimulatedBackends.keysOf(LockKey.readWriteLock("name"), 1);
            for (int i = 0; i < 6_000; i++) {
                if (i % 40 == 0) {
                    for (String key : slots) {
                        both(real, words("DEL", key));
                    }
                    for (String key : shares) {
                        both(real, words("DEL", key));
                    }
                    both(real, words("SET", slots[1], "4503599627370496"));
                }
                slotStep(real, lua, slots);
                shareStep(real, lua, shares);
                both(real, words("LRANGE", slots[0], "0", "-1"));
                both(real, words("MGET", slots[1], slots[2], slots[3]));
                both(real, words("PTTL", slots[2]));
                // A hash has no order.
                assertThat((List<?>) ofModel("HVALS", shares[0]))
                        .hasSameElementsAs((List) ofReal(real, "HVALS", shares[0]));
                both(real, words("LRANGE", shares[1], "0", "-1"));
                both(real, words("PTTL", shares[0]));
                both(real, words("GET", shares[3]));
            }
        }
    }

    private void slotStep(Resp real, LuaMachine lua, String... keys) throws IOException {
        String owner = pick("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCCCCCCCC");
        int count = random.nextInt(4) == 0 ? 1 : 2;
        String lease = pick("100000", "200000");
        String entry = owner + " inbox " + lease + " 16 " + pick("0", "1") + " " + count + " x since=5 1 host what";
        String context = "50000 run";
        int slot = random.nextInt(2);
        String number = Integer.toString(slot);
        String[] one = {keys[0], keys[1], keys[2 + slot]};
        String value = String.valueOf(model.peek(keys[2 + slot]));
        String ours = owner + " " + (value.startsWith(owner) ? value.split(" ", 3)[1] : "17") + " ";
        String[] wanted = Arrays.copyOf(keys, 2 + count);
        switch (random.nextInt(9)) {
            case 0, 1, 2 ->
                both(
                        real,
                        lua,
                        "SEMAPHORE_ACQUIRE",
                        wanted,
                        context,
                        owner,
                        lease,
                        "16",
                        "x - 1 host what",
                        random.nextInt(8) == 0 ? "1" : "9000000000000000",
                        pick(entry, ""));
            case 3 -> both(real, lua, "SEMAPHORE_RELEASE", one, context, owner, number);
            case 4 -> both(real, lua, "SEMAPHORE_WITHDRAW", wanted, context, owner, pick(entry, ""));
            case 5 -> both(real, lua, "SEMAPHORE_RENEW", words(one[2]), ours, pick("50000", "300000"));
            case 6 -> both(real, lua, "SEMAPHORE_HANDOVER", one, context, number);
            case 7 -> both(real, lua, "SEMAPHORE_BREAK", one, context, owner, number);
            default ->
                both(real, lua, "SEMAPHORE_RELEASE_LATER", words(keys[0], one[2]), ours, pick("50000", "300000"));
        }
        if (random.nextInt(20) == 0) {
            both(real, words("PEXPIRE", one[2], "-1"));
        }
    }

    private void shareStep(Resp real, LuaMachine lua, String... keys) throws IOException {
        String owner = pick("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCCCCCCCC");
        String kind = pick("r", "x");
        String lease = pick("100000", "200000");
        String entry = owner + " inbox " + lease + " 16 " + pick("0", "1") + " " + kind + " since=5 1 host what";
        String context = "50000 run";
        String value = String.valueOf(model.call("HGET", keys[0], owner));
        String ours = owner + " " + (value.startsWith(owner) ? value.split(" ", 3)[1] : "17") + " ";
        switch (random.nextInt(9)) {
            case 0, 1, 2 ->
                both(
                        real,
                        lua,
                        "RW_ACQUIRE",
                        keys,
                        context,
                        owner,
                        lease,
                        "16",
                        kind + " - 1 host what",
                        random.nextInt(8) == 0 ? "1" : "9000000000000000",
                        pick(entry, ""));
            case 3 -> both(real, lua, "RW_RELEASE", keys, context, owner);
            case 4 -> both(real, lua, "RW_WITHDRAW", keys, context, owner, pick(entry, ""));
            case 5 -> both(real, lua, "RW_RENEW", words(keys[0]), owner, ours, pick("50000", "300000"));
            case 6 -> both(real, lua, "RW_HANDOVER", keys, context);
            case 7 -> both(real, lua, "RW_BREAK", keys, context, owner);
            default ->
                both(real, lua, "RW_RELEASE_LATER", Arrays.copyOf(keys, 2), ours, pick("50000", "300000"), owner);
        }
    }

    @Test
    void theScriptsOfAQuorumDoInTheModelWhatTheyDoInRedis() throws IOException {
        // The same for one node of a quorum: votes, rounds, undoing, raising, and a record of admission that changes.
        try (Resp real = new Resp(REDIS.port());
                LuaMachine lua = new LuaMachine()) {
            String[] keys = Arrays.copyOf(SimulatedBackends.keys("name", true), 4);
            keys[3] = SimulatedBackends.admissionKey();
            for (int i = 0; i < 6_000; i++) {
                if (i % 40 == 0) {
                    both(real, words("DEL", keys[0]));
                    both(real, words("DEL", keys[1]));
                    both(real, words("SET", keys[2], "4503599627370496"));
                    both(
                            real,
                            words(
                                    "SET",
                                    keys[3],
                                    pick(
                                            "admitted 3:run:data 150000 1 a,b,c",
                                            "admitted 3:old:data 150000 1 a,b,c",
                                            "")));
                }
                quorumStep(real, lua, keys);
                both(real, words("LRANGE", keys[1], "0", "-1"));
                both(real, words("GET", keys[0]));
                both(real, words("PTTL", keys[0]));
                both(real, words("GET", keys[2]));
                both(real, words("GET", keys[3]));
            }
        }
    }

    private void quorumStep(Resp real, LuaMachine lua, String... keys) throws IOException {
        String owner = pick("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB");
        String me = "admitted 3:run:data ";
        String lease = pick("100000", "200000");
        String round = pick("1", "2", "3");
        String entry = owner + " inbox " + lease + " x since=5 1 host x";
        String queued = pick(entry, "");
        String notAfter = random.nextInt(8) == 0 ? "1" : "9000000000000000";
        String[] held = String.valueOf(model.peek(keys[0])).split(" ", 4);
        String token = held.length > 2 ? held[2] : "17";
        String[] admission = {keys[3]};
        switch (random.nextInt(17)) {
            case 0, 1, 2 ->
                both(
                        real,
                        lua,
                        "QUORUM_ACQUIRE",
                        keys,
                        me,
                        owner,
                        round,
                        lease,
                        "16",
                        "x - 1 host x",
                        notAfter,
                        "5",
                        queued);
            case 3 -> both(real, lua, "QUORUM_UNDO", keys, me, owner, round, lease, queued, notAfter, "50000");
            case 4 ->
                both(real, lua, "QUORUM_RAISE", keys, me, owner, round, token, "450359962738" + pick("1000", "9999"));
            case 5 -> both(real, lua, "QUORUM_RELEASE", keys, me, owner, "50000");
            case 6 -> both(real, lua, "QUORUM_WITHDRAW", keys, me, owner, "50000", pick("place", ""));
            case 7 -> both(real, lua, "QUORUM_HANDOVER", keys, me, "50000");
            case 8 ->
                both(
                        real,
                        lua,
                        "QUORUM_RENEW",
                        words(keys[3], keys[0]),
                        me,
                        owner,
                        token,
                        pick("50000", "120000"),
                        round);
            case 9 -> both(real, lua, "QUORUM_LOOK", words(keys[3], keys[0], keys[0], keys[1]), me, entry);
            case 10 -> both(real, lua, "QUORUM_MAXLEASE", admission, me, pick("100000", "250000"));
            case 11 -> both(real, lua, "QUORUM_SUSPEND", admission, me, "n2");
            case 12 ->
                both(
                        real,
                        lua,
                        "QUORUM_REPLACE",
                        words(keys[3], RESERVATION),
                        pick(me, "admitted 4:run:data "),
                        "4",
                        "2",
                        "a,b,d",
                        pick("c1", "c2"));
            case 14 ->
                both(
                        real,
                        lua,
                        "QUORUM_RELEASE_LATER",
                        keys,
                        me,
                        owner,
                        token,
                        round,
                        pick("50000", "120000", "300000"));
            case 13 -> both(real, lua, "QUORUM_RESERVE", words(RESERVATION), pick("c1", "c2"), pick("0", "100000"));
            default ->
                both(
                        real,
                        lua,
                        "QUORUM_OBSERVE",
                        admission,
                        me,
                        "n1",
                        "100000",
                        pick("", "n1"),
                        "5000",
                        pick("0", "3"),
                        "a,b,c");
        }
    }

    private void both(Resp real, LuaMachine lua, String script, String[] keys, String... arguments) throws IOException {
        String[] used = script.equals("DESCRIBE") ? Arrays.copyOf(keys, 2) : keys;
        String source = SimulatedBackends.source(script);
        List<String> command = new ArrayList<>(List.of("EVAL", source, Integer.toString(used.length)));
        command.addAll(List.of(used));
        command.addAll(List.of(arguments));
        Object said;
        try {
            said = lua.eval(model, source, used, arguments);
        } catch (RedisError e) {
            said = "error " + e.getMessage();
        }
        Object reality = ofReal(real, command.toArray(new String[0]));
        // What is no list comes from the model as a list of one, but for errors.
        boolean single = said instanceof List<?> && !(reality instanceof List<?>);
        assertThat(coarse(said))
                .as(script + " " + String.join(" ", arguments))
                .isEqualTo(single ? List.of(reality) : reality);
    }

    private void both(Resp real, String... command) throws IOException {
        assertThat(ofModel(command)).as(String.join(" ", command)).isEqualTo(ofReal(real, command));
    }

    private Object ofModel(String... command) {
        try {
            Object said = model.call(command);
            return coarse(said instanceof Status status ? status.text() : said);
        } catch (RedisError e) {
            return coarse("error " + e.getMessage());
        }
    }

    private static Object ofReal(Resp real, String... command) throws IOException {
        try {
            return coarse(real.call(command));
        } catch (IOException e) {
            return coarse("error " + e.getMessage());
        }
    }

    /** Two clocks never agree: what is left of a time counts to ten seconds, what the clock shows does not count at all. */
    private static Object coarse(Object said) {
        if (said instanceof List<?> list) {
            return list.stream().map(ModelIT::coarse).toList();
        }
        if (said instanceof Long number) {
            return number > 1_000_000_000_000_000L && number < 4_000_000_000_000_000L
                    ? "now"
                    : number > 20_000 && number < 1_000_000 ? (Object) ((number + 5_000) / 10_000 * 10_000) : number;
        }
        return said == null
                ? "nothing"
                : String.valueOf(said).replaceAll("\\b1[0-9]{15}\\b", "now").replaceAll("\\b1[0-9]{12}\\b", "end");
    }

    private String pick(String... of) {
        return of[random.nextInt(of.length)];
    }

    private static String[] words(String... words) {
        return words;
    }
}

package dev.holdfast.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one Redis server remembers, and the commands that our scripts use: answers are longs, strings, nulls, lists, and
 * {@link Status}. Every change can be taken back for a while, because servers lose what they wrote last.
 */
public final class RedisMemory {
    /** An answer such as OK, which is not a string to a script. */
    public record Status(String text) {
        static final Status OK = new Status("OK");
    }

    /** The server says no, in these words. */
    public static final class RedisError extends RuntimeException {
        private static final long serialVersionUID = 1;

        RedisError(String message) {
            super(message, null, false, false);
        }
    }

    /** What the server has beside its memory. */
    public interface Surroundings {
        /** Its clock, in microseconds. */
        long micros();

        /** How many received it. */
        long publish(String channel, String message);

        /** A value was written, for these many milliseconds; zero: for ever. */
        default void wrote(String key, String value, long millis) {}

        default void popped(String key, String value) {}
    }

    private static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

    /** A value, immutable: a change puts another one in its place, so that the old one can be put back. */
    private record Entry(Object value, long endsMillis) {
        static final long NEVER = Long.MAX_VALUE;

        @SuppressWarnings("unchecked")
        List<String> list() {
            if (value instanceof List<?>) {
                return (List<String>) value;
            }
            throw new RedisError(WRONG_TYPE);
        }

        @SuppressWarnings("unchecked")
        Map<String, String> hash() {
            if (value instanceof Map<?, ?>) {
                return (Map<String, String>) value;
            }
            throw new RedisError(WRONG_TYPE);
        }

        String string() {
            if (value instanceof String text) {
                return text;
            }
            throw new RedisError(WRONG_TYPE);
        }
    }

    private record Change(
            long atNanos, String key, @Nullable Entry before) {}

    private final Map<String, Entry> entries = new HashMap<>();
    private final Deque<Change> changes = new ArrayDeque<>();
    private final Surroundings surroundings;
    private long keptNanos;
    private long nowNanos;

    public RedisMemory(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** From here on, what was written in the last so many nanoseconds can be taken back. */
    void keepChanges(long nanos) {
        keptNanos = nanos;
    }

    /** True time; only what was written when depends on it. */
    void at(long nanos) {
        nowNanos = nanos;
        while (!changes.isEmpty() && changes.getFirst().atNanos < nanos - keptNanos) {
            changes.removeFirst();
        }
    }

    /** Forgets what was written since then. */
    void rollBack(long toNanos) {
        while (!changes.isEmpty() && changes.getLast().atNanos > toNanos) {
            Change change = changes.removeLast();
            if (change.before == null) {
                entries.remove(change.key);
            } else {
                entries.put(change.key, change.before);
            }
        }
    }

    void clear() {
        entries.clear();
        changes.clear();
    }

    /** Those that have not expired, for checks. */
    List<String> keys() {
        List<String> keys = new ArrayList<>(entries.keySet());
        keys.removeIf(key -> live(key) == null);
        keys.sort(null);
        return keys;
    }

    @Nullable
    String peek(String key) {
        Entry entry = live(key);
        return entry != null && entry.value instanceof String text ? text : null;
    }

    List<String> peekList(String key) {
        Entry entry = live(key);
        return entry != null && entry.value instanceof List<?> ? entry.list() : List.of();
    }

    /** The values of a hash; none if there is none. */
    List<String> peekValues(String key) {
        Entry entry = live(key);
        return entry != null && entry.value instanceof Map<?, ?>
                ? List.copyOf(entry.hash().values())
                : List.of();
    }

    /** Milliseconds left; -1 for ever, -2 not there. */
    long pttl(String key) {
        Entry entry = live(key);
        return entry == null ? -2 : entry.endsMillis == Entry.NEVER ? -1 : entry.endsMillis - nowMillis();
    }

    // ---- commands

    /** Runs one. */
    public @Nullable Object call(String... args) {
        return switch (args[0]) {
            case "TIME" -> time();
            case "GET" -> get(args[1]);
            case "MGET" -> mget(args);
            case "SET" -> set(args);
            case "DEL" -> count(args, this::remove);
            case "EXISTS" -> count(args, key -> live(key) != null);
            case "PTTL" -> pttl(args[1]);
            case "PEXPIRE" -> pexpire(args);
            case "LPOP" -> lpop(args[1]);
            case "RPUSH" -> rpush(args);
            case "LLEN" -> (long) listAt(args[1]).size();
            case "LPOS" -> lpos(args[1], args[2]);
            case "LRANGE" -> lrange(args[1], number(args[2]), number(args[3]));
            case "LREM" -> lrem(args);
            case "LPUSH" -> lpush(args);
            case "LINDEX" -> lindex(args[1], number(args[2]));
            case "HSET" -> hset(args);
            case "HGET" -> hashAt(args[1]).get(args[2]);
            case "HDEL" -> hdel(args[1], args[2]);
            case "HVALS" -> List.copyOf(hashAt(args[1]).values());
            case "PUBLISH" -> surroundings.publish(args[1], args[2]);
            case "PING" -> new Status("PONG");
            default -> throw new RedisError("ERR unknown command '" + args[0] + "'");
        };
    }

    private List<Object> time() {
        long micros = surroundings.micros();
        return Arrays.asList(Long.toString(micros / 1_000_000), Long.toString(micros % 1_000_000));
    }

    private @Nullable String get(String key) {
        Entry entry = live(key);
        return entry == null ? null : entry.string();
    }

    private List<@Nullable Object> mget(String... args) {
        List<@Nullable Object> values = new ArrayList<>(args.length - 1);
        for (int i = 1; i < args.length; i++) {
            Entry entry = live(args[i]);
            values.add(entry != null && entry.value instanceof String text ? text : null);
        }
        return values;
    }

    private @Nullable Object set(String... args) {
        String key = args[1];
        boolean onlyIfAbsent = false;
        boolean onlyIfPresent = false;
        boolean get = false;
        boolean keepEnd = false;
        long millis = 0;
        for (int i = 3; i < args.length; i++) {
            switch (args[i]) {
                case "NX" -> onlyIfAbsent = true;
                case "XX" -> onlyIfPresent = true;
                case "GET" -> get = true;
                case "KEEPTTL" -> keepEnd = true;
                case "PX" -> {
                    millis = number(args[++i]);
                    if (millis <= 0) {
                        throw new RedisError("ERR invalid expire time in 'set' command");
                    }
                }
                default -> throw new RedisError("ERR syntax error");
            }
        }
        Entry known = live(key);
        String before = get && known != null ? known.string() : null;
        if (known != null ? onlyIfAbsent : onlyIfPresent) {
            return before;
        }
        long kept = keepEnd && known != null ? known.endsMillis : Entry.NEVER;
        put(key, new Entry(args[2], millis == 0 ? kept : nowMillis() + millis));
        surroundings.wrote(key, args[2], millis);
        return get ? before : Status.OK;
    }

    private long pexpire(String... args) {
        String key = args[1];
        Entry known = live(key);
        long ends = nowMillis() + number(args[2]);
        boolean onlyLater = args.length > 3 && args[3].equals("GT");
        if (known == null || (onlyLater && (known.endsMillis == Entry.NEVER || ends <= known.endsMillis))) {
            return 0;
        }
        if (ends <= nowMillis()) {
            remove(key);
        } else {
            put(key, new Entry(known.value, ends));
        }
        return 1;
    }

    private @Nullable String lpop(String key) {
        List<String> list = listAt(key);
        if (list.isEmpty()) {
            return null;
        }
        String first = list.get(0);
        putList(key, new ArrayList<>(list.subList(1, list.size())));
        surroundings.popped(key, first);
        return first;
    }

    private long rpush(String... args) {
        List<String> list = new ArrayList<>(listAt(args[1]));
        list.addAll(Arrays.asList(args).subList(2, args.length));
        putList(args[1], list);
        return list.size();
    }

    private long lpush(String... args) {
        List<String> list = new ArrayList<>(listAt(args[1]));
        for (int i = 2; i < args.length; i++) {
            list.add(0, args[i]);
        }
        putList(args[1], list);
        return list.size();
    }

    private @Nullable String lindex(String key, long at) {
        List<String> list = listAt(key);
        long index = at < 0 ? list.size() + at : at;
        return index < 0 || index >= list.size() ? null : list.get((int) index);
    }

    private long hset(String... args) {
        Map<String, String> hash = new LinkedHashMap<>(hashAt(args[1]));
        boolean added = hash.put(args[2], args[3]) == null;
        putHash(args[1], hash);
        return added ? 1 : 0;
    }

    private long hdel(String key, String field) {
        Map<String, String> hash = new LinkedHashMap<>(hashAt(key));
        if (hash.remove(field) == null) {
            return 0;
        }
        putHash(key, hash);
        return 1;
    }

    private @Nullable Long lpos(String key, String value) {
        int at = listAt(key).indexOf(value);
        return at < 0 ? null : (Long) (long) at;
    }

    private List<String> lrange(String key, long from, long to) {
        List<String> list = listAt(key);
        int size = list.size();
        int first = (int) Math.max(0, from < 0 ? size + from : from);
        int last = (int) Math.min(size - 1, to < 0 ? size + to : to);
        return first > last ? List.of() : List.copyOf(list.subList(first, last + 1));
    }

    private Object lrem(String... args) {
        long most = number(args[2]);
        if (most < 0) {
            throw new RedisError("ERR the model removes from the front");
        }
        List<String> list = new ArrayList<>(listAt(args[1]));
        int before = list.size();
        if (most == 0) {
            list.removeIf(args[3]::equals);
        }
        for (long i = 0; i < most && list.remove(args[3]); i++) {}
        if (list.size() < before) {
            putList(args[1], list);
        }
        return (long) before - list.size();
    }

    // ---- entries

    private List<String> listAt(String key) {
        Entry entry = live(key);
        return entry == null ? List.of() : entry.list();
    }

    private Map<String, String> hashAt(String key) {
        Entry entry = live(key);
        return entry == null ? Map.of() : entry.hash();
    }

    private void putList(String key, List<String> list) {
        putAll(key, list, list.isEmpty());
    }

    private void putHash(String key, Map<String, String> hash) {
        putAll(key, hash, hash.isEmpty());
    }

    /** An empty list is no list, nor is an empty hash one; a changed one keeps its end. */
    private void putAll(String key, Object value, boolean empty) {
        Entry known = live(key);
        if (empty) {
            remove(key);
        } else {
            put(key, new Entry(value, known == null ? Entry.NEVER : known.endsMillis));
        }
    }

    private void put(String key, Entry entry) {
        note(key, entries.put(key, entry));
    }

    /** For how many of the keys that holds; one that is named twice counts twice. */
    private static long count(String[] args, Predicate<String> kind) {
        return Arrays.stream(args, 1, args.length).filter(kind).count();
    }

    private boolean remove(String key) {
        boolean there = live(key) != null;
        note(key, entries.remove(key));
        return there;
    }

    private void note(String key, @Nullable Entry before) {
        if (keptNanos > 0) {
            changes.addLast(new Change(nowNanos, key, before));
        }
    }

    private @Nullable Entry live(String key) {
        Entry entry = entries.get(key);
        return entry != null && entry.endsMillis > nowMillis() ? entry : null;
    }

    long nowMillis() {
        return surroundings.micros() / 1000;
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new RedisError("ERR value is not an integer or out of range");
        }
    }
}

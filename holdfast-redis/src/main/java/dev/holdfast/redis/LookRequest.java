package dev.holdfast.redis;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.redis.node.Groups;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Topology;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One question for many places: of one kind, and of what a server takes in one request. */
record LookRequest(Script script, List<Inbox.Place> places) {
    /** A script that looks at more keeps the server from others for too long. */
    private static final int MOST_IN_ONE_REQUEST = 500;
    /** Each has as many keys as it has slots, up to a thousand. */
    private static final int MOST_SEMAPHORES = 20;

    /** All that there are to send. */
    static List<LookRequest> of(Topology servers, List<Inbox.Place> places) {
        Map<LockKind, List<Inbox.Place>> kinds = new EnumMap<>(LockKind.class);
        for (Inbox.Place place : places) {
            kinds.computeIfAbsent(LockKey.kindOf(place.key()), kind -> new ArrayList<>())
                    .add(place);
        }
        List<LookRequest> requests = new ArrayList<>();
        kinds.forEach((kind, some) -> {
            int most = kind == LockKind.SEMAPHORE ? MOST_SEMAPHORES : MOST_IN_ONE_REQUEST;
            for (List<Inbox.Place> group : Groups.of(servers, some, Inbox.Place::key, most)) {
                requests.add(new LookRequest(scriptOf(kind), group));
            }
        });
        return requests;
    }

    private static Script scriptOf(LockKind kind) {
        return switch (kind) {
            case LOCK -> Script.LOOK;
            case SEMAPHORE -> Script.SEMAPHORE_LOOK;
            case READ_WRITE_LOCK -> Script.RW_LOOK;
        };
    }

    /** Any of its keys: they have the same server. */
    String key() {
        return places.get(0).key();
    }

    String[] keys(Keys keys) {
        List<String> all = new ArrayList<>();
        for (Inbox.Place place : places) {
            all.addAll(List.of(keys.ofLook(place.key(), place.slots())));
        }
        return all.toArray(String[]::new);
    }

    String[] arguments(String inbox, String echo) {
        List<String> all = new ArrayList<>(List.of(inbox, echo));
        for (Inbox.Place place : places) {
            all.add(place.entry());
            if (script == Script.SEMAPHORE_LOOK) {
                all.add(Integer.toString(place.slots()));
            }
        }
        return all.toArray(String[]::new);
    }
}

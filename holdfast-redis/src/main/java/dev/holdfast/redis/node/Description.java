package dev.holdfast.redis.node;

import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who holds one key: the answers of {@code describe.lua}, and of those of semaphores and read-write locks. */
public final class Description {
    private Description() {}

    /** All holders. Where Holdfast did not write what stands under its keys, that is said as a claim for it is told. */
    public static CompletionStage<List<LockState>> of(Topology servers, Keys keys, String key) {
        String name = LockKey.nameIn(key);
        return switch (LockKey.kindOf(key)) {
            case LOCK ->
                Listing.describe(servers, keys, name)
                        .thenApply(state -> state.stream().toList());
            case SEMAPHORE -> states(servers, ofSlots(keys, name, List.of()));
            case READ_WRITE_LOCK -> states(servers, ofReadWriteLock(keys, name));
        };
    }

    private static CompletionStage<List<LockState>> states(Topology servers, Request request) {
        return servers.at(
                request.key,
                server -> server.eval(request.script, request.all, new String[0])
                        .thenApply(reply -> {
                            Found found = request.read(reply);
                            if (!found.foreign.isEmpty()
                                    && !found.foreign.get(0).equals(request.queue)) {
                                throw new RefusedException(Errors.foreign(server.address(), found.foreign.get(0)));
                            }
                            return found.states;
                        }));
    }

    /**
     * What an answer says.
     *
     * @param foreign keys with something that Holdfast did not write; a queue comes last, and its holders are shown all the same
     */
    record Found(List<LockState> states, List<String> foreign) {}

    /** One question, of one key. */
    static final class Request {
        final String key;
        final Script script;
        final String[] all;
        private final String queue;
        private final List<Integer> slots;

        private Request(String key, Script script, String[] all, String queue, List<Integer> slots) {
            this.key = key;
            this.script = script;
            this.all = all;
            this.queue = queue;
            this.slots = slots;
        }

        Found read(List<Object> reply) {
            Found found = new Found(new ArrayList<>(), new ArrayList<>());
            if (script == Script.SEMAPHORE_DESCRIBE) {
                readSlots(reply, found);
            } else {
                readHolders(reply, found);
            }
            if (Replies.number(reply, 1) == 1) {
                found.foreign.add(queue);
            }
            return found;
        }

        private void readSlots(List<Object> reply, Found found) {
            for (int i = 2; i < reply.size(); i++) {
                List<?> fields = (List<?>) reply.get(i);
                int at = (int) (long) (Long) fields.get(0);
                int slot = slots.isEmpty() ? at - 1 : slots.get(at - 1);
                long remaining = (Long) fields.get(2);
                // We never write a slot without an expiry.
                if (remaining < 0 || !add(found, slot, fields.get(1), remaining, (List<?>) reply.get(0))) {
                    found.foreign.add(all[at]);
                }
            }
        }

        private void readHolders(List<Object> reply, Found found) {
            for (int i = 3; i < reply.size(); i += 2) {
                if (!add(found, 0, reply.get(i), Replies.number(reply, i + 1), (List<?>) reply.get(0))) {
                    found.foreign.add(all[0]);
                }
            }
            if (Replies.number(reply, 2) == 1) {
                found.foreign.add(all[0]);
            }
            found.states.sort((one, other) -> Long.compare(
                    one.tokens().last().value(), other.tokens().last().value()));
        }

        private boolean add(Found found, int slot, @Nullable Object value, long remaining, List<?> entries) {
            return value != null
                    && Wire.parseState(new Keys.Held(key, slot), value.toString(), remaining, entries)
                            .map(found.states::add)
                            .orElse(false);
        }
    }

    /** @param slots none: all that there can be */
    static Request ofSlots(Keys keys, String name, List<Integer> slots) {
        String[] all;
        if (slots.isEmpty()) {
            all = keys.ofAllSlots(name);
        } else {
            all = new String[1 + slots.size()];
            all[0] = keys.slotQueue(name);
            for (int i = 0; i < slots.size(); i++) {
                all[1 + i] = keys.slot(name, slots.get(i));
            }
        }
        return new Request(LockKey.semaphore(name).encoded(), Script.SEMAPHORE_DESCRIBE, all, all[0], slots);
    }

    static Request ofReadWriteLock(Keys keys, String name) {
        String[] both = {keys.readWriteLock(name), keys.readWriteQueue(name)};
        return new Request(LockKey.readWriteLock(name).encoded(), Script.RW_DESCRIBE, both, both[1], List.of());
    }
}

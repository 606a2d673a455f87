package dev.holdfast.redis.quorum;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Script;
import dev.holdfast.spi.Failures;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which servers a quorum consists of, said by an operator who waits for it: the first list, and the replacement of one
 * server by another. All nodes are connected.
 */
public final class QuorumSetup {
    /** Far longer than the steps of a replacement may take together. */
    private static final Duration RESERVED = QuorumConnect.INITIALISE_TIMEOUT.multipliedBy(6);

    private final List<? extends RedisNode> nodes;
    private final ServerList list;
    private final Keys keys;

    public QuorumSetup(List<? extends RedisNode> nodes, ServerList list, Keys keys) {
        this.nodes = nodes;
        this.list = list;
        this.keys = keys;
    }

    /** What one node answered, or why it did not. */
    private record Answer(RedisNode node, @Nullable List<Object> reply, String failure) {
        boolean isDone() {
            return reply != null && QuorumReplies.Step.of(reply).done();
        }

        /** Empty if there is none. */
        String problem() {
            if (reply == null) {
                return failure;
            }
            return isDone()
                    ? ""
                    : "Redis at " + node.address() + " has something already: "
                            + QuorumReplies.Step.of(reply).found();
        }

        @Nullable
        AdmissionRecord record() {
            return reply == null
                    ? null
                    : AdmissionRecord.parse(QuorumReplies.Step.of(reply).found());
        }
    }

    private static List<Answer> askAll(
            List<? extends RedisNode> nodes,
            BiFunction<RedisNode, RedisNode.Identity, CompletionStage<List<Object>>> request) {
        List<CompletableFuture<List<Object>>> asked = new ArrayList<>();
        for (RedisNode node : nodes) {
            asked.add(request.apply(node, node.identity()).toCompletableFuture());
        }
        QuorumConnect.await(
                CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new)), QuorumConnect.INITIALISE_TIMEOUT);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            RedisNode node = nodes.get(i);
            CompletableFuture<List<Object>> each = asked.get(i);
            answers.add(
                    each.isDone()
                            ? each.handle((reply, failure) ->
                                            new Answer(node, reply, failure == null ? "" : Failures.describe(failure)))
                                    .join()
                            : new Answer(node, null, "Redis at " + node.address() + " has not answered"));
        }
        return answers;
    }

    // ---- a new deployment

    /** Each step everywhere before the next: two callers with different lists must not both come to a majority. */
    public void initialise(Duration maxLease) {
        String nonce = UUID.randomUUID().toString();
        String forgetful = nodes.stream()
                .filter(node -> node.memory().mayEvict())
                .map(QuorumSetup::forgetful)
                .collect(Collectors.joining("; "));
        if (!forgetful.isEmpty()) {
            throw new IllegalStateException("Not initialised: " + forgetful);
        }
        require(step("look", nonce, maxLease));
        List<Answer> claimed = step("claim", nonce, maxLease);
        if (claimed.stream().anyMatch(each -> !each.problem().isEmpty())) {
            step("undo", nonce, maxLease);
        }
        require(claimed);
        require(step("admit", nonce, maxLease));
    }

    private static String forgetful(RedisNode node) {
        return "Redis at " + node.address() + " removes keys when its memory is full (maxmemory-policy "
                + node.memory().policy() + "), and a server that may forget a lock does not vote. "
                + MemoryPolicy.REMEDY;
    }

    private List<Answer> step(String step, String nonce, Duration maxLease) {
        return askAll(
                nodes,
                (node, server) -> node.evalAt(server, Script.QUORUM_INITIALISE, keys.ledger(), new String[] {
                    AdmissionRecord.admitted(list, server), Long.toString(maxLease.toMillis()), step, nonce, list.text()
                }));
    }

    private static void require(List<Answer> answers) {
        String problems = answers.stream()
                .map(Answer::problem)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        if (!problems.isEmpty()) {
            throw new IllegalStateException(
                    "Not initialised: " + problems + ". Servers that are in use already, or were,"
                            + " begin to vote by themselves once every lease that may exist is over");
        }
    }

    // ---- another server in the place of one

    /**
     * Binds those that stay to the new list. The newcomer is not touched: clients with the new list find it empty, and let it
     * vote as they would one that has forgotten, after the longest lease and with the counters of the others. They can do so
     * only once a majority is bound to the new list, and then the old one has no majority left.
     *
     * @param old what stood in the place of the newcomer
     */
    public void replace(String old, String newcomer) {
        ServerList source = list.with(newcomer, old);
        int place = list.names().indexOf(newcomer);
        if (nodes.get(place).memory().mayEvict()) {
            throw new IllegalStateException("Nothing was changed: " + forgetful(nodes.get(place)));
        }
        requireEmpty(nodes.get(place));
        List<RedisNode> stay = new ArrayList<>(nodes);
        stay.remove(place);
        String nonce = UUID.randomUUID().toString();
        try {
            requireReserved(reserve(stay, nonce, RESERVED));
            bind(stay, source, nonce);
        } finally {
            reserve(stay, nonce, Duration.ZERO);
        }
    }

    /**
     * Two callers at once could otherwise bind so many servers each that no list has a majority. Those that stay are all on
     * the old list, so two majorities of its number share one of them.
     */
    private List<Answer> reserve(List<RedisNode> stay, String nonce, Duration duration) {
        return askAll(
                stay,
                (node, server) ->
                        node.evalAt(server, Script.QUORUM_RESERVE, new String[] {keys.replacement()}, new String[] {
                            nonce, Long.toString(duration.toMillis())
                        }));
    }

    private void requireReserved(List<Answer> reserved) {
        long ours = reserved.stream().filter(each -> each.isDone()).count();
        if (ours >= majority()) {
            return;
        }
        long millis = reserved.stream()
                .map(Answer::reply)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .mapToLong(QuorumReplies::reservedElsewhereMillis)
                .max()
                .orElse(0);
        if (millis <= 0) {
            throw tooFewKnow(0, reserved);
        }
        throw new IllegalStateException(
                "Nothing was changed: another replacement of a server is under way. Call it again"
                        + " when that has ended; if its caller has died, after " + (millis + 999) / 1000 + " s");
    }

    private void bind(List<RedisNode> stay, ServerList source, String nonce) {
        List<Answer> seen = askAll(
                stay,
                (node, server) ->
                        node.evalAt(server, Script.QUORUM_LEDGER, new String[] {keys.admission()}, new String[] {
                            AdmissionRecord.admitted(source, server)
                        }));
        long version = nextVersion(source, seen);
        String[] both = {keys.admission(), keys.replacement()};
        List<Answer> moved = askAll(
                stay,
                (node, server) -> node.evalAt(server, Script.QUORUM_REPLACE, both, new String[] {
                    AdmissionRecord.admitted(source, server), list.digest(), Long.toString(version), list.text(), nonce
                }));
        long bound = moved.stream().filter(each -> each.isDone()).count();
        if (bound < majority()) {
            throw new IllegalStateException("Half done: " + bound + " of " + nodes.size()
                    + " servers know the new list, and " + majority()
                    + " have to. Nobody holds a lock twice by that, but"
                    + " fewer servers vote. Call it again: " + problems(moved));
        }
    }

    private int majority() {
        return Ballot.majorityOf(nodes.size());
    }

    private void requireEmpty(RedisNode newcomer) {
        Answer looked = askAll(
                        List.of(newcomer),
                        (node, server) -> node.evalAt(server, Script.QUORUM_INITIALISE, keys.ledger(), new String[] {
                            AdmissionRecord.admitted(list, server), "0", "look", "", list.text()
                        }))
                .get(0);
        if (looked.reply == null) {
            String message = "Nothing was changed: the new server cannot be asked: " + looked.failure;
            throw new LockUnavailableException(message, new IOException(message));
        }
        AdmissionRecord record = looked.record();
        boolean again = record != null && record.list().equals(list.digest());
        if (!looked.problem().isEmpty() && !again) {
            throw new IllegalStateException("Nothing was changed: " + looked.problem()
                    + ". A server that joins a quorum must not remember anything of it: delete what begins with "
                    + keys.prefix() + " there, or take an empty one");
        }
    }

    private long nextVersion(ServerList source, List<Answer> seen) {
        long version = 0;
        long done = 0;
        int known = 0;
        for (Answer each : seen) {
            AdmissionRecord record = each.record();
            if (record == null) {
                continue;
            }
            if (record.list().equals(list.digest())) {
                done = Math.max(done, record.version());
            } else if (record.list().equals(source.digest())) {
                version = Math.max(version, record.version());
            } else {
                throw new IllegalStateException("Nothing was changed: Redis at " + each.node.address()
                        + " belongs to neither list, but to " + record.servers());
            }
            known++;
        }
        if (known < majority()) {
            throw tooFewKnow(known, seen);
        }
        return Math.max(version + 1, done);
    }

    private IllegalStateException tooFewKnow(int known, List<Answer> answers) {
        return new IllegalStateException("Nothing was changed: " + known + " of " + nodes.size()
                + " servers know the list in which one is to be replaced, and " + majority() + " have to. "
                + problems(answers));
    }

    private static String problems(List<Answer> answers) {
        return answers.stream()
                .map(each -> each.reply == null
                        ? each.failure
                        : each.isDone()
                                ? ""
                                : "Redis at " + each.node.address() + " has: "
                                        + QuorumReplies.Step.of(each.reply).found())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
    }
}

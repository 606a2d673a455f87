package dev.holdfast.zookeeper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which of many claims still have their turn, and are the nodes that we created.
 *
 * <p>One request reads when each queue last changed. A queue that has not changed since it was seen to be the claim's turn
 * needs no more: every change has a zxid of its own, also across a removal of the whole queue. The others are listed.
 */
final class StillHeld {
    record Candidate(Place place, Place.Node node) {}

    /** @param failure why it is not known whether it is held; null if it is known */
    record Verdict(boolean isHeld, @Nullable Throwable failure) {
        static Verdict of(Supplier<Boolean> finding) {
            try {
                return new Verdict(finding.get(), null);
            } catch (CompletionException refused) {
                return new Verdict(false, Errors.explain(refused));
            }
        }
    }

    /** Of what is asked for at a time. With the data of a claim, a packet stays well below its megabyte. */
    private static final int MOST_CHILDREN = 2_000;

    private static final int CHILDREN_PER_CLAIM_DATA = 20;

    private StillHeld() {}

    /** In the order of the candidates. One that the server refuses to show does not affect the others. */
    static CompletableFuture<List<Verdict>> check(Session session, List<Candidate> candidates) {
        List<Op> reads = new ArrayList<>(candidates.size());
        candidates.forEach(candidate -> reads.add(Op.getData(read(candidate.node()))));
        return session.readAll(reads).thenCompose(results -> {
            Verdict[] verdicts = new Verdict[candidates.size()];
            List<Changed> changed = new ArrayList<>();
            for (int i = 0; i < verdicts.length; i++) {
                Candidate candidate = candidates.get(i);
                OpResult result = results.get(i);
                if (!(result instanceof OpResult.GetDataResult found)) {
                    verdicts[i] = Verdict.of(() -> !Nodes.isMissing(result));
                    continue;
                }
                Stat stat = found.getStat();
                if (candidate.node().isSlot()) {
                    verdicts[i] =
                            new Verdict(stat.getCzxid() == candidate.node().czxid(), null);
                } else if (stat.getPzxid() == candidate.place().turnSinceZxid) {
                    verdicts[i] = new Verdict(true, null);
                } else {
                    changed.add(new Changed(i, candidate, stat.getPzxid(), stat.getNumChildren()));
                }
            }
            return list(session, changed, verdicts).thenApply(done -> Arrays.asList(verdicts));
        });
    }

    /** A slot is held for as long as its node is there: no other one for the same slot can become older. */
    private static String read(Place.Node node) {
        return node.isSlot() ? node.path() : node.parent();
    }

    private record Changed(int index, Candidate candidate, long zxid, int children) {}

    private static CompletableFuture<Void> list(Session session, List<Changed> changed, Verdict[] verdicts) {
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        List<Changed> part = new ArrayList<>();
        int children = 0;
        for (Changed each : changed) {
            if (children > MOST_CHILDREN) {
                parts.add(listPart(session, part, verdicts));
                part = new ArrayList<>();
                children = 0;
            }
            part.add(each);
            children += each.children() + CHILDREN_PER_CLAIM_DATA;
        }
        if (!part.isEmpty()) {
            parts.add(listPart(session, part, verdicts));
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    private static CompletableFuture<Void> listPart(Session session, List<Changed> part, Verdict[] verdicts) {
        List<Op> reads = new ArrayList<>(2 * part.size());
        part.forEach(each -> reads.addAll(Nodes.viewing(each.candidate().node())));
        return session.readAll(reads).thenAccept(results -> {
            for (int i = 0; i < part.size(); i++) {
                Changed each = part.get(i);
                int from = 2 * i;
                Verdict verdict = Verdict.of(
                        () -> Nodes.view(each.candidate().node(), results, from).isTurn());
                verdicts[each.index()] = verdict;
                if (verdict.isHeld()) {
                    // The queue was listed after it was at this change. If it still is at the next renewal, it was
                    // then.
                    each.candidate().place().turnSinceZxid = each.zxid();
                }
            }
        });
    }
}

package dev.holdfast.dashboard;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.dashboard.web.Action;
import dev.holdfast.dashboard.web.Reply;
import dev.holdfast.dashboard.web.Request;
import dev.holdfast.spi.Secrets;
import java.util.Map;
import java.util.Optional;

/** Ends exactly the tenure that the page has shown, never its successor. */
final class BreakAction implements Action {
    private final Holdfast holdfast;
    private final LockBoard board;
    private final StorePoll poll;
    private final AuditLog audit;

    BreakAction(Holdfast holdfast, LockBoard board, StorePoll poll, AuditLog audit) {
        this.holdfast = holdfast;
        this.board = board;
        this.poll = poll;
        this.audit = audit;
    }

    @Override
    public Reply answer(Request request) throws InterruptedException {
        String id = request.parameter("id");
        Optional<LockState> shown = board.shown(id);
        if (shown.isEmpty()) {
            return Reply.refusal(409, "This lock was shown too long ago. Look again.");
        }
        LockState seen = shown.get();
        if (!request.parameter("typed").equals(seen.name())) {
            return Reply.refusal(400, "What was typed is not the name of the lock. Nothing was changed.");
        }
        String by = AuditLog.who(request.session().who(), request.from());
        board.breaking(id);
        boolean broken = false;
        try {
            Optional<LockState> ended = holdfast.breakLock(seen);
            if (ended.isEmpty()) {
                return Reply.refusal(
                        409, Secrets.mask("Nothing was broken: " + seen.holder() + " no longer holds this lock."));
            }
            String line = audit.broken(ended.get(), by);
            board.broken(id, ended.get(), by, line);
            broken = true;
            return Reply.json(Map.of("line", line));
        } catch (LockUnavailableException e) {
            return Reply.refusal(503, audit.unconfirmed(seen, by) + " Look again.");
        } finally {
            if (!broken) {
                board.notBroken(id);
            }
            poll.lookSoon();
        }
    }
}

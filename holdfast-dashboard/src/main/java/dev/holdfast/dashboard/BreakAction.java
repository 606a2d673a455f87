package dev.holdfast.dashboard;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.dashboard.web.Action;
import dev.holdfast.dashboard.web.Reply;
import dev.holdfast.dashboard.web.Request;
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
        String typed = request.parameter("typed");
        if (!typed.equals(seen.name()) && !typed.equals(VisibleText.of(seen.name()))) {
            return Reply.refusal(400, "What was typed is not the name of the lock. Nothing was changed.");
        }
        String by = AuditLog.who(request.session().who(), request.from());
        board.breaking(id);
        boolean recorded = false;
        try {
            Optional<LockState> ended = holdfast.breakLock(seen);
            if (ended.isEmpty()) {
                return Reply.refusal(
                        409, "Nothing was broken: " + AuditLog.shown(seen.holder()) + " no longer holds this lock.");
            }
            String line = audit.broken(ended.get(), by);
            board.broken(id, ended.get(), by, line);
            recorded = true;
            return Reply.json(Map.of("line", line));
        } catch (LockUnavailableException e) {
            recorded = true;
            return Reply.refusal(503, perhapsBroken(id, seen, by) + " Look again.");
        } catch (InterruptedException e) {
            // The console is closed, or this took longer than a request may. The store has been asked, and nobody knows
            // its answer.
            recorded = true;
            perhapsBroken(id, seen, by);
            throw e;
        } finally {
            if (!recorded) {
                board.notBroken(id);
            }
            poll.lookSoon();
        }
    }

    private String perhapsBroken(String id, LockState seen, String by) {
        String line = audit.unconfirmed(seen, by);
        board.perhapsBroken(id, seen, by, line);
        return line;
    }
}

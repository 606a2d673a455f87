package dev.holdfast.simulation;

import java.util.List;

/** Bugs that the simulation must find, those among them that it has found in the product. */
final class Mutants {
    private Mutants() {}

    /** Each is found within a few hundred seeds. */
    static List<Mutant> quick() {
        return List.of(
                Mutant.redis(
                        "release without compare",
                        "release.lua",
                        "if not held or string.match(held, '^%S+') ~= ARGV[2] then",
                        "if not held then"),
                Mutant.redis(
                        "a newcomer overtakes the queue",
                        "acquire.lua",
                        "if not held and redis.call('LLEN', KEYS[2]) == 0 then",
                        "if not held then"),
                Mutant.redis(
                        "hand-over without a window",
                        "parts/queue.lua",
                        "redis.call('SET', KEYS[1], value, 'PX', window)",
                        "redis.call('SET', KEYS[1], value, 'PX', lease)"),
                Mutant.redis(
                        "a lock that is to be kept ends with its lease",
                        "release_later.lua",
                        "redis.call('SET', KEYS[1], head .. ARGV[2] .. rest, 'PX', ARGV[2])",
                        "redis.call('SET', KEYS[1], head .. ARGV[2] .. rest, 'KEEPTTL')"),
                Mutant.redis(
                        "a node keeps a vote for no longer than its lease",
                        "quorum/release_later.lua",
                        "rest, 'PX', ARGV[5])",
                        "rest, 'KEEPTTL')"),
                Mutant.redis(
                        "a reader comes in beside a writer",
                        "rw/acquire.lua",
                        "if not ours and (count == 0 or reads and not alone)",
                        "if not ours and (count == 0 or reads)"),
                Mutant.redis(
                        "a slot is released by whoever asks",
                        "semaphore/release.lua",
                        "if not held or string.match(held, '^%S+') ~= ARGV[2] then",
                        "if not held then"),
                Mutant.core(
                        "a lease that ended before it was closed is not told as lost",
                        "TenureLease.java",
                        "before instanceof Released released ? released.callbacks() : before;",
                        "before;"));
    }

    static List<Mutant> slow() {
        return List.of(
                Mutant.redis(
                        "the clock starts at the reply",
                        "Claims.java",
                        "long validUntil = Validity.until(sent, claim.lease());",
                        "long validUntil = Validity.until(environment.nanoTime(), claim.lease());"),
                Mutant.redis(
                        "the clock of a renewal starts at the reply",
                        "RenewalRequests.java",
                        "new Renewal.Renewed(Validity.until(sent, lease))",
                        "new Renewal.Renewed(Validity.until(environment.nanoTime(), lease))"),
                Mutant.core(
                        "drift dropped",
                        "spi/Validity.java",
                        "return lease.toNanos() / 100 + FIXED_DRIFT_NANOS;",
                        "return 0;"),
                Mutant.core(
                        "no timer beside the wake-up",
                        "NameQueue.java",
                        "asking.fireAtNanos = nowNanos + delayNanos;",
                        "asking.fireAtNanos = Alarm.NEVER;"),
                Mutant.redis(
                        "a claim that does not re-arm",
                        "parts/busy.lua",
                        "    rearm(KEYS[1], held, ARGV[3])\n    return {1",
                        "    return {1"),
                Mutant.redis(
                        "the age of a push is not counted",
                        "Inbox.java",
                        "return age < 0 ? 0 : given.toNanos() - age - Validity.driftNanos(given);",
                        "return given.toNanos() - Validity.driftNanos(given);"),
                Mutant.redis(
                        "a late request is carried out",
                        "acquire.lua",
                        "if now > tonumber(ARGV[6]) then",
                        "if false then"),
                Mutant.redis(
                        "a withdrawal leaves its place in the queue",
                        "parts/leave.lua",
                        "  redis.call('LREM', queue, 0, ARGV[3])",
                        ""),
                Mutant.redis(
                        "tokens from the counter alone",
                        "parts/block.lua",
                        "math.max(now, (reached or 0) + 1)",
                        "(reached or 0) + 1"),
                Mutant.redis(
                        "tokens from the clock alone", "parts/block.lua", "math.max(now, (reached or 0) + 1)", "now"),
                Mutant.core(
                        "a grant counted twice",
                        "NameQueue.java",
                        "            known.lengthen(grant.validUntilNanos());\n            return new Effect.Rearm(known);",
                        "            return waiters == null ? NOTHING : deliverToHead(known, grant.votes(), nowNanos);"),
                Mutant.core(
                        "failing renewals are repeated without a pause",
                        "Tenure.java",
                        "Math.max(left / RETRIES_PER_LEASE, SHORTEST_RETRY_NANOS)",
                        "left / RETRIES_PER_LEASE"),
                Mutant.redis("majority off by one", "quorum/Ballot.java", "return nodes / 2 + 1;", "return nodes / 2;"),
                Mutant.redis(
                        "a late undo without its round number",
                        "quorum/undo.lua",
                        "if not mine and round <= tonumber(ARGV[3]) then",
                        "if not mine then"),
                Mutant.redis(
                        "a place in line is left by a claim that failed",
                        "quorum/QuorumAnswers.java",
                        "        if (!stood.containsKey(claim.owner())) {\n            return why;",
                        "        if (why != null) {\n            return why;"),
                Mutant.redis(
                        "a waiter at a quorum does not look again",
                        "quorum/PlaceCheck.java",
                        "if (closed || all.isEmpty()) {",
                        "if (closed || !all.isEmpty()) {"),
                Mutant.redis(
                        "an undo does not tell the waiter that a release could not tell",
                        "quorum/undo.lua",
                        "if undone and redis.call('LREM', KEYS[2], 0, MISSED_TURN) > 0 then",
                        "if false then"),
                Mutant.redis(
                        "a node votes whose memory is not known to be whole",
                        "quorum/parts/longest.lua",
                        "string.sub(record, 1, #ARGV[1]) == ARGV[1]\n  and tonumber(string.match(record, '^%d+', #ARGV[1] + 1))",
                        "tonumber(string.match(record, '^%a+ %S+ (%d+)'))"),
                Mutant.core(
                        "a release is told as unconfirmed because the claim after it failed",
                        "Releases.java",
                        "released(last, null, done);",
                        "released(last, half.claimFailure(), done);"),
                Mutant.core(
                        "a lock that is to be kept is freed by a question from before its grant",
                        "Withdrawals.java",
                        "Kept still = kept.isEmpty() ? null : kept.get(owner);",
                        "Kept still = null;"),
                Mutant.redis(
                        "a waiter at one server does not look again",
                        "QueuedClaimsCheck.java",
                        "environment.schedule(SHORTEST_NANOS + spread, this::look);",
                        "environment.schedule(Long.MAX_VALUE / 4 + spread, this::look);"),
                Mutant.redis(
                        "the guard lets an older token pass",
                        "guard.lua",
                        "if newest and is_older(string.match(ARGV[1], '%d+$'), newest) then",
                        "if false then"));
    }
}

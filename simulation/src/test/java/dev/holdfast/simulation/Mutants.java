package dev.holdfast.simulation;

import java.util.List;

/** Bugs that the simulation must find. */
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
                        "redis.call('SET', KEYS[1], value, 'PX', lease)"));
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
                        "RedisBackend.java",
                        "new Renewal.Renewed(Validity.until(sent, lease))",
                        "new Renewal.Renewed(Validity.until(live().environment().nanoTime(), lease))"),
                Mutant.core(
                        "drift dropped",
                        "spi/Validity.java",
                        "return lease.toNanos() / 100 + FIXED_DRIFT_NANOS;",
                        "return 0;"),
                Mutant.core(
                        "no timer beside the wake-up",
                        "NameQueue.java",
                        "asking.wantedNanos = nowNanos + delayNanos;",
                        "asking.wantedNanos = Alarm.NEVER;"),
                Mutant.redis(
                        "a claim that does not re-arm",
                        "parts/busy.lua",
                        "    extend(KEYS[1], ARGV[3])\n    return {1",
                        "    return {1"),
                Mutant.redis(
                        "the age of a push is not counted",
                        "Inbox.java",
                        "return age < 0 ? 0 : window.toNanos() - age - Validity.driftNanos(window);",
                        "return window.toNanos() - Validity.driftNanos(window);"),
                Mutant.redis(
                        "a late request is carried out",
                        "acquire.lua",
                        "if now > tonumber(ARGV[6]) then",
                        "if false then"),
                Mutant.redis(
                        "a withdrawal leaves its place in the queue",
                        "withdraw.lua",
                        "  redis.call('LREM', KEYS[2], 0, ARGV[3])",
                        ""),
                Mutant.redis(
                        "tokens from the counter alone",
                        "parts/reserve.lua",
                        "math.max((tonumber(counter) or 0) + tokens, floor)",
                        "(tonumber(counter) or 0) + tokens"),
                Mutant.redis(
                        "tokens from the clock alone",
                        "parts/reserve.lua",
                        "math.max((tonumber(counter) or 0) + tokens, floor)",
                        "floor"),
                Mutant.core(
                        "a grant counted twice",
                        "NameQueue.java",
                        "                tenure.lengthen(grant.validUntilNanos());\n                return new Effect.Rearm(tenure);",
                        "                return waiters == null ? NOTHING : deliverToHead(tenure, grant.votes(), nowNanos);"),
                Mutant.core(
                        "failing renewals are repeated without a pause",
                        "Tenure.java",
                        "Math.max(left / RETRIES_PER_LEASE, SHORTEST_RETRY_NANOS)",
                        "left / RETRIES_PER_LEASE"),
                Mutant.redis("majority off by one", "Ballot.java", "return nodes / 2 + 1;", "return nodes / 2;"),
                Mutant.redis(
                        "a late undo without its round number",
                        "quorum/undo.lua",
                        "if not mine and round <= tonumber(ARGV[3]) then",
                        "if not mine then"),
                Mutant.redis(
                        "a node votes whose memory is not known to be whole",
                        "quorum/parts/longest.lua",
                        "string.sub(record, 1, #ARGV[1]) == ARGV[1] and tonumber(string.sub(record, #ARGV[1] + 1))",
                        "tonumber(string.match(record, '^%a+ %S+ (%d+)'))"),
                Mutant.redis(
                        "the guard lets an older token pass",
                        "guard.lua",
                        "if seen and (#seen > #ARGV[1] or (#seen == #ARGV[1] and seen > ARGV[1])) then",
                        "if false then"));
    }
}

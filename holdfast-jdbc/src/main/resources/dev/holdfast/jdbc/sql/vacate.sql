-- Ends a tenure (release, withdraw, break), or notices that one has expired, and hands the lock to the next waiter.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
-- The mutex of the bucket: a waiter is either in the queue that the next statement sees, or finds the lock free.
SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR NO KEY UPDATE;
WITH ask AS MATERIALIZED (
    SELECT ?::bytea AS name, ?::text AS owner, ?::bigint AS token, ?::integer AS bucket, ?::bigint AS claim_window,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
), seen AS MATERIALIZED (
    SELECT l.owner, l.expires_at <= a.now AS over,
           -- Compare before delete: once our lease lapsed, this row may be someone else's. Token 0 stands for any.
           l.owner = a.owner AND l.kind = 'x' AND (a.token = 0 OR a.token = l.token) AS ours
    FROM holdfast_lock l, ask a WHERE l.name = a.name
), turn AS MATERIALIZED (
    SELECT q.owner, q.tokens, least(q.lease, a.claim_window) AS span, q.inbox, q.kind, q.notes, q.host, q.pid,
           q.description
    FROM holdfast_queue q, ask a
    WHERE q.name = a.name AND q.expires_at > a.now AND q.owner <> a.owner
      AND NOT EXISTS (SELECT FROM seen s WHERE NOT s.ours AND NOT s.over)
    ORDER BY q.place LIMIT 1
), fence AS (
    -- The block ends at the clock and reaches back to the counter at most, so that the counter never outruns the clock.
    -- acquire-free.sql and TokenBlock say the same.
    UPDATE holdfast_fence f SET counter = greatest(b.counter + 1, a.now)
    FROM ask a, turn t, holdfast_fence b WHERE f.bucket = a.bucket AND b.bucket = a.bucket
    RETURNING f.counter, CASE WHEN b.counter <= 0 THEN 1 ELSE least(t.tokens, f.counter - b.counter)::integer END AS tokens
), given AS (
    INSERT INTO holdfast_lock AS l (name, owner, token, tokens, granted_at, expires_at, awaited, kind, notes, host, pid, description)
    SELECT a.name, t.owner, f.counter, f.tokens, a.now, a.now + t.span, true, t.kind, t.notes, t.host, t.pid, t.description
    FROM ask a, turn t, fence f
    ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, token = excluded.token, tokens = excluded.tokens, granted_at = excluded.granted_at,
        expires_at = excluded.expires_at, awaited = excluded.awaited, kind = excluded.kind, notes = excluded.notes,
        host = excluded.host, pid = excluded.pid, description = excluded.description
    -- Somebody else's renewal may have come in between; our own makes no difference.
    WHERE l.expires_at <= excluded.granted_at OR l.owner = (SELECT a.owner FROM ask a)
    RETURNING l.owner
), freed AS (
    DELETE FROM holdfast_lock l USING ask a, seen s
    WHERE l.name = a.name AND l.owner = s.owner AND (s.ours OR (s.over AND l.expires_at <= a.now))
      AND NOT EXISTS (SELECT FROM turn)
), unqueued AS (
    DELETE FROM holdfast_queue q USING ask a
    WHERE q.name = a.name AND (q.owner = a.owner OR q.owner IN (SELECT g.owner FROM given g) OR q.expires_at <= a.now)
), told AS MATERIALIZED (
    SELECT pg_notify(t.inbox, encode(a.name, 'hex')) FROM ask a, turn t, given g WHERE t.inbox <> ''
)
SELECT a.now, EXISTS (SELECT FROM seen s WHERE s.ours AND NOT s.over) AS released,
       coalesce((SELECT t.span FROM turn t, given g), 0) AS provisional_for, (SELECT count(*) FROM told) AS told
-- No answer if the bucket has no row: then there was no mutex.
FROM ask a JOIN holdfast_fence f ON f.bucket = a.bucket;
COMMIT

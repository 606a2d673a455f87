-- One request, one transaction, whatever isolation level the connection had before.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
-- The mutex of the bucket. The next statement has a snapshot of its own, taken after this lock was granted: nobody else
-- changes owners or queues in this bucket while it runs. Renewals do not come past here, so it checks again what it writes.
SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR NO KEY UPDATE;
WITH ask AS MATERIALIZED (
    SELECT ?::bytea AS name, ?::text AS owner, ?::integer AS bucket, ?::bigint AS lease, ?::integer AS tokens,
           ?::boolean AS queueing, ?::text AS inbox, ?::text AS notes, ?::text AS host, ?::bigint AS pid, ?::text AS description,
           ?::bigint AS not_after, ?::bigint AS patience, ?::bigint AS claim_window,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
), held AS MATERIALIZED (
    -- A kind that this client does not know is somebody else's, whoever its owner is.
    SELECT l.*, l.owner = a.owner AND l.kind = 'x' AS ours
    FROM holdfast_lock l, ask a WHERE l.name = a.name AND l.expires_at > a.now
), head AS MATERIALIZED (
    SELECT q.* FROM holdfast_queue q, ask a WHERE q.name = a.name AND q.expires_at > a.now ORDER BY q.place LIMIT 1
), turn AS MATERIALIZED (
    -- Whose turn it is, if the lock is free: a newcomer does not overtake. The head of the queue is granted the lock
    -- for the claim window only, and has to ask for it.
    SELECT coalesce(h.owner, a.owner) AS owner, coalesce(h.tokens, a.tokens) AS tokens,
           CASE WHEN h.owner IS NULL THEN a.lease ELSE least(h.lease, a.claim_window) END AS span,
           coalesce(h.inbox, '') AS inbox,
           -- What a waiter says of itself goes with it, also what this client does not know.
           coalesce(h.kind, 'x') AS kind, coalesce(h.notes, '-') AS notes, coalesce(h.host, a.host) AS host, coalesce(h.pid, a.pid) AS pid,
           coalesce(h.description, a.description) AS description
    FROM ask a LEFT JOIN head h ON h.owner <> a.owner
    -- Executed later than the caller waits for an answer: refuse, or the lock would be held by nobody.
    WHERE a.now <= a.not_after AND NOT EXISTS (SELECT FROM held)
), fence AS (
    -- The block ends at the clock and reaches back to the counter at most, so that the counter never outruns the clock.
    -- acquire-free.sql and TokenBlock say the same.
    UPDATE holdfast_fence f SET counter = greatest(b.counter + 1, a.now)
    FROM ask a, turn t, holdfast_fence b WHERE f.bucket = a.bucket AND b.bucket = a.bucket
    RETURNING f.counter, CASE WHEN b.counter <= 0 THEN 1 ELSE least(t.tokens, f.counter - b.counter)::integer END AS tokens
), given AS (
    INSERT INTO holdfast_lock AS l (name, owner, token, tokens, granted_at, expires_at, awaited, kind, notes, host, pid, description)
    SELECT a.name, t.owner, f.counter, f.tokens, a.now, a.now + t.span,
           t.owner <> a.owner
               OR EXISTS (SELECT FROM holdfast_queue q
                          WHERE q.name = a.name AND q.owner <> a.owner AND q.expires_at > a.now),
           t.kind, t.notes, t.host, t.pid, t.description
    FROM ask a, turn t, fence f
    ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, token = excluded.token, tokens = excluded.tokens, granted_at = excluded.granted_at,
        expires_at = excluded.expires_at, awaited = excluded.awaited, kind = excluded.kind, notes = excluded.notes,
        host = excluded.host, pid = excluded.pid, description = excluded.description
    -- A renewal may have come in between.
    WHERE l.expires_at <= excluded.granted_at
    RETURNING l.owner, l.token, l.tokens, l.granted_at, l.expires_at, l.kind, l.notes, l.host, l.pid, l.description
), kept AS (
    -- Asked again by the same owner: the same grant, for a full lease from now.
    UPDATE holdfast_lock l SET expires_at = greatest(l.expires_at, a.now + a.lease)
    FROM ask a, held h WHERE h.ours AND l.name = a.name AND l.owner = a.owner AND a.now <= a.not_after
    RETURNING l.owner, l.token, l.tokens, l.granted_at, l.expires_at, l.kind, l.notes, l.host, l.pid, l.description
), marked AS (
    -- Releases of locks that nobody waits for do not take the mutex. From here on this one's has to; if it was quicker, no
    -- row is left to mark, and the claim is asked again.
    UPDATE holdfast_lock l SET awaited = true
    FROM ask a, held h
    WHERE a.queueing AND a.now <= a.not_after AND NOT h.ours AND NOT h.awaited
      AND l.name = a.name AND l.owner = h.owner AND l.token = h.token
    RETURNING l.owner
), queued AS (
    INSERT INTO holdfast_queue AS q (name, owner, lease, tokens, inbox, kind, notes, host, pid, description, expires_at)
    SELECT a.name, a.owner, a.lease, a.tokens, a.inbox, 'x', a.notes, a.host, a.pid, a.description, a.now + a.patience
    FROM ask a
    WHERE a.queueing AND a.now <= a.not_after
      AND NOT EXISTS (SELECT FROM held h WHERE h.ours)
      AND NOT EXISTS (SELECT FROM given g WHERE g.owner = a.owner)
    ON CONFLICT (name, owner) DO UPDATE SET expires_at = excluded.expires_at, inbox = excluded.inbox
    RETURNING q.place
), unqueued AS (
    DELETE FROM holdfast_queue q USING ask a
    WHERE q.name = a.name
      AND (q.owner IN (SELECT g.owner FROM given g) OR (q.expires_at <= a.now AND q.owner <> a.owner))
), told AS MATERIALIZED (
    SELECT pg_notify(t.inbox, encode(a.name, 'hex')) FROM ask a, turn t, given g
    WHERE g.owner = t.owner AND t.owner <> a.owner AND t.inbox <> ''
)
SELECT a.now, a.now > a.not_after AS late, s.owner, s.token, s.tokens, s.granted_at, s.expires_at, s.kind, s.notes,
       s.host, s.pid, s.description, EXISTS (SELECT FROM queued) AS queued, (SELECT count(*) FROM told) AS told
-- No answer if the bucket has no row: then there was no mutex, and no token either.
FROM ask a JOIN holdfast_fence f ON f.bucket = a.bucket LEFT JOIN (
    SELECT * FROM given
    UNION ALL SELECT * FROM kept
    UNION ALL SELECT h.owner, h.token, h.tokens, h.granted_at, h.expires_at, h.kind, h.notes, h.host, h.pid, h.description
    FROM held h
    WHERE NOT EXISTS (SELECT FROM kept) AND (h.awaited OR NOT (SELECT queueing FROM ask) OR EXISTS (SELECT FROM marked))
) s ON true;
COMMIT

-- Leaves a lock taken for a time from now, whatever is left of its lease: its holder is done, and nobody renews it any more.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
-- The mutex of the bucket: a waiter is either in the queue that the next statement sees, or finds the new end.
SELECT bucket FROM holdfast_fence WHERE bucket = ? FOR NO KEY UPDATE;
WITH ask AS MATERIALIZED (
    SELECT ?::bytea AS name, ?::text AS owner, ?::bigint AS token, ?::integer AS bucket, ?::bigint AS span,
           (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
), kept AS (
    -- Compare before write: once our lease lapsed, this row may be someone else's.
    UPDATE holdfast_lock l SET expires_at = a.now + a.span
    FROM ask a
    WHERE l.name = a.name AND l.owner = a.owner AND l.token = a.token AND l.kind = 'x' AND l.expires_at > a.now
    RETURNING l.owner
), head AS MATERIALIZED (
    SELECT q.inbox FROM holdfast_queue q, ask a, kept k
    WHERE q.name = a.name AND q.expires_at > a.now AND q.owner <> a.owner
    ORDER BY q.place LIMIT 1
), told AS MATERIALIZED (
    -- It would look again when the lease would have ended.
    SELECT pg_notify(h.inbox, encode(a.name, 'hex')) FROM ask a, head h WHERE h.inbox <> ''
)
SELECT a.now, EXISTS (SELECT FROM kept) AS kept, EXISTS (SELECT FROM head) AS waited_for, (SELECT count(*) FROM told) AS told
-- No answer if the bucket has no row: then there was no mutex.
FROM ask a JOIN holdfast_fence f ON f.bucket = a.bucket;
COMMIT

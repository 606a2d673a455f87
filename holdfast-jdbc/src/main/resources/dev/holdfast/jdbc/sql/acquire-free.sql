-- The common case in one small statement: nobody holds the lock, nobody waits for it. No answer: ask acquire.sql.
WITH mutex AS (
    -- What is seen of the lock and its queue may be older than this mutex. If a lock came meanwhile, the insert below
    -- finds it. The counter is as it is after the wait.
    SELECT bucket, counter FROM holdfast_fence
    WHERE bucket = ?
      -- It begins no transaction of its own, so it has the isolation level of the connection.
      AND current_setting('transaction_isolation') = 'read committed'
      AND NOT EXISTS (SELECT FROM holdfast_lock l WHERE l.name = ?)
      AND NOT EXISTS (SELECT FROM holdfast_queue q WHERE q.name = ?)
    FOR NO KEY UPDATE
), fence AS (
    UPDATE holdfast_fence f
    SET counter = greatest(m.counter + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    FROM mutex m WHERE f.bucket = m.bucket
    -- The time after the wait for the mutex, not before.
    RETURNING f.counter, m.counter AS before, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
)
INSERT INTO holdfast_lock (name, owner, token, tokens, granted_at, expires_at, awaited, kind, notes, host, pid, description)
SELECT ?, ?, f.counter, CASE WHEN f.before <= 0 THEN 1 ELSE least(?::integer, f.counter - f.before)::integer END, f.now,
       f.now + ?, false, 'x', '-', ?, ?, ?
FROM fence f WHERE f.now <= ?
ON CONFLICT (name) DO NOTHING
RETURNING token, tokens, granted_at

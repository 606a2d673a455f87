-- The common case in one small statement: nobody holds the lock, nobody waits for it. No answer: ask acquire.sql.
WITH fence AS (
    -- What is seen of the lock and its queue may be older than the mutex that this update takes. If a lock came meanwhile, the
    -- insert below finds it.
    UPDATE holdfast_fence
    SET counter = greatest(counter + ?::integer, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE bucket = ?
      -- It begins no transaction of its own, so it has the isolation level of the connection.
      AND current_setting('transaction_isolation') = 'read committed'
      AND NOT EXISTS (SELECT FROM holdfast_lock l WHERE l.name = ?)
      AND NOT EXISTS (SELECT FROM holdfast_queue q WHERE q.name = ?)
    -- The time after the wait for the mutex, not before.
    RETURNING counter, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now
)
INSERT INTO holdfast_lock (name, owner, token, tokens, granted_at, expires_at, awaited, host, pid, description)
SELECT ?, ?, f.counter, ?, f.now, f.now + ?, false, ?, ?, ? FROM fence f WHERE f.now <= ?
ON CONFLICT (name) DO NOTHING
RETURNING token, granted_at

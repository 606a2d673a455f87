-- The common case in one small statement: ours, and nobody waits. No answer: ask vacate.sql.
-- Compare before delete: once our lease lapsed, this row may be someone else's. No mutex: who begins to wait marks the row
-- first, and a row that was marked meanwhile is looked at again.
DELETE FROM holdfast_lock
WHERE name = ? AND owner = ? AND token = ? AND kind = 'x' AND NOT awaited
  AND current_setting('transaction_isolation') = 'read committed'
  -- Nobody has to wait until this is on disk: if a crash forgets it, the lock ends with its lease instead. It cannot be
  -- forgotten once somebody else was granted the lock, because that grant is written after it.
  AND set_config('synchronous_commit', 'off', true) = 'off'
RETURNING expires_at > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- For dev.holdfast.jdbc.SqlFence: one row for each guarded resource. Belongs into the database that holds the resource,
-- because it is raised and checked in the transactions that write there. It does not need the tables of the lock backend.

CREATE TABLE IF NOT EXISTS holdfast_guard (
    resource VARBINARY(512) NOT NULL PRIMARY KEY,  -- UTF-8; bytes, because text would be compared by rules that differ
    token    BIGINT NOT NULL  -- the newest seen
) ENGINE = InnoDB;

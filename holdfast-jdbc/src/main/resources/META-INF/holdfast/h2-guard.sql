-- For dev.holdfast.jdbc.SqlFence: one row for each guarded resource. Belongs into the database that holds the resource,
-- because it is raised and checked in the transactions that write there. It does not need the tables of the lock backend.
-- Its rows are lasting data: it has no version, and stays as it is when those tables are made anew.

CREATE TABLE IF NOT EXISTS holdfast_guard (
    resource   VARBINARY(512) NOT NULL PRIMARY KEY,  -- UTF-8; bytes, because text would be compared by rules that differ
    token      BIGINT NOT NULL,  -- the newest writer's that was seen of its generation; 0 if there was none since the move
    generation INT DEFAULT 0 NOT NULL,  -- which lock store the tokens come from; only a move changes it
    reader     BIGINT DEFAULT 0 NOT NULL  -- the newest reader's that was seen, likewise
);

-- The record of every move, of rows above and of fence columns in other tables. Nothing but a move writes here.
CREATE TABLE IF NOT EXISTS holdfast_guard_move (
    in_table        VARCHAR(130) NOT NULL,  -- whose fence column was moved; empty for a row of holdfast_guard
    resource        VARBINARY(512) NOT NULL,  -- the resource, or the id of the row, in UTF-8
    to_generation   INT NOT NULL,
    from_generation INT NOT NULL,
    newest          BIGINT NOT NULL,  -- the newest token seen until then; 0 for none
    moved_at        BIGINT NOT NULL,  -- milliseconds since 1970, by the clock of whoever moved it
    moved_by        VARCHAR(200) NOT NULL,
    PRIMARY KEY (in_table, resource, to_generation)
);

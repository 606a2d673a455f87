-- Holdfast on SQLite 3.42 or later. Hand this file to your migration tool, or call JdbcBackend.createTables.
-- All times are microseconds since 1970 by the clock of this machine.

CREATE TABLE IF NOT EXISTS holdfast_lock (
    name        BLOB    NOT NULL PRIMARY KEY,  -- UTF-8; CAST(name AS TEXT) to read it
    owner       TEXT    NOT NULL,
    token       INTEGER NOT NULL,              -- the highest of the block (token - tokens, token]
    tokens      INTEGER NOT NULL,
    granted_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    host        TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    description TEXT    NOT NULL
) WITHOUT ROWID;

-- One counter per bucket of names, so that rows of locks can be deleted.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    bucket  INTEGER PRIMARY KEY,
    counter INTEGER NOT NULL CHECK (counter < 9007199254740992)
);

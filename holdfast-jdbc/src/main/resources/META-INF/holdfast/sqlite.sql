-- Holdfast on SQLite 3.42 or later. Hand this file to your migration tool, or call JdbcBackend.createTables.
-- All times are microseconds since 1970 by the clock of this machine.

CREATE TABLE IF NOT EXISTS holdfast_lock (
    name        BLOB    NOT NULL PRIMARY KEY,  -- UTF-8; CAST(name AS TEXT) to read it
    owner       TEXT    NOT NULL,
    token       INTEGER NOT NULL,              -- the highest of the block (token - tokens, token]
    tokens      INTEGER NOT NULL,
    granted_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    kind        TEXT    NOT NULL,              -- x: exclusive. A kind that a client does not know is held by somebody
    notes       TEXT    NOT NULL,              -- - or name=value,name=value
    host        TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    description TEXT    NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS holdfast_queue (
    place       INTEGER NOT NULL PRIMARY KEY,
    name        BLOB    NOT NULL,
    owner       TEXT    NOT NULL,
    lease       INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    inbox       TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    notes       TEXT    NOT NULL,              -- since=… when it began to wait, in milliseconds by its own clock
    host        TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    description TEXT    NOT NULL,
    expires_at  INTEGER NOT NULL,              -- a waiter that stops asking loses its place
    UNIQUE (name, owner)
);

-- Semaphores and read-write locks: a row for each holder. Locks have nothing to do with these two tables.
CREATE TABLE IF NOT EXISTS holdfast_share (
    name        BLOB    NOT NULL,              -- 0x1f, then semaphore: or rw: and the name, in UTF-8
    slot        INTEGER NOT NULL,              -- of a semaphore its slot; of a read-write lock 0 for the writer, readers from 1
    owner       TEXT    NOT NULL,
    token       INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    granted_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    kind        TEXT    NOT NULL,              -- s: slot, r: reader, w: writer. One that a client does not know tolerates nobody beside it
    notes       TEXT    NOT NULL,
    host        TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    description TEXT    NOT NULL,
    PRIMARY KEY (name, slot),
    UNIQUE (name, owner)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS holdfast_share_queue (
    place       INTEGER NOT NULL PRIMARY KEY,
    name        BLOB    NOT NULL,
    owner       TEXT    NOT NULL,
    slots       INTEGER NOT NULL,              -- of a semaphore: it takes any slot below this number
    lease       INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    inbox       TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    notes       TEXT    NOT NULL,
    host        TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    description TEXT    NOT NULL,
    expires_at  INTEGER NOT NULL,
    UNIQUE (name, owner)
);

-- One counter per bucket of names, so that rows of locks can be deleted. The row of bucket -1 is no counter, but a random
-- number by which this file is told apart from one that takes its place.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    bucket  INTEGER PRIMARY KEY,
    counter INTEGER NOT NULL CHECK (counter < 9007199254740992)
);

-- The version of these tables, in a row that is no counter. Tables of another version are refused. New columns have no defaults:
-- a client of an older version must not be able to write here.
INSERT OR IGNORE INTO holdfast_fence (bucket, counter) VALUES (-3, 2);

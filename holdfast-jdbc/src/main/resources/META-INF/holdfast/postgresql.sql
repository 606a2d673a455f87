-- Holdfast on PostgreSQL 13 or later. Hand this file to your migration tool, or call JdbcBackend.createTables.
-- All times are microseconds since 1970 by the clock of this database.

CREATE TABLE IF NOT EXISTS holdfast_lock (
    name        bytea   PRIMARY KEY,  -- UTF-8; convert_from(name, 'UTF8') to read it
    owner       text    NOT NULL,
    token       bigint  NOT NULL,     -- the highest of the block (token - tokens, token]
    tokens      integer NOT NULL,
    granted_at  bigint  NOT NULL,
    expires_at  bigint  NOT NULL,
    awaited     boolean NOT NULL DEFAULT false,  -- somebody may be in the queue: whoever releases has to look
    kind        text    NOT NULL,     -- x: exclusive. A kind that a client does not know is held by somebody
    notes       text    NOT NULL,     -- - or name=value,name=value
    host        text    NOT NULL,
    pid         bigint  NOT NULL,
    description text    NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE IF NOT EXISTS holdfast_queue (
    name        bytea   NOT NULL,
    owner       text    NOT NULL,
    place       bigint  GENERATED ALWAYS AS IDENTITY,
    lease       bigint  NOT NULL,
    tokens      integer NOT NULL,
    inbox       text    NOT NULL,     -- the channel this waiter listens on; empty if it polls
    kind        text    NOT NULL,
    notes       text    NOT NULL,     -- since=… when it began to wait, in milliseconds by its own clock
    host        text    NOT NULL,
    pid         bigint  NOT NULL,
    description text    NOT NULL,
    expires_at  bigint  NOT NULL,     -- a waiter that stops asking loses its place
    PRIMARY KEY (name, owner)
);

-- Semaphores and read-write locks: a row for each holder. Locks have nothing to do with these two tables.
CREATE TABLE IF NOT EXISTS holdfast_share (
    name        bytea   NOT NULL,     -- 0x1f, then semaphore: or rw: and the name, in UTF-8
    slot        integer NOT NULL,     -- of a semaphore its slot; of a read-write lock 0 for the writer, readers from 1
    owner       text    NOT NULL,
    token       bigint  NOT NULL,
    tokens      integer NOT NULL,
    granted_at  bigint  NOT NULL,
    expires_at  bigint  NOT NULL,
    kind        text    NOT NULL,     -- s: slot, r: reader, w: writer. One that a client does not know tolerates nobody beside it
    notes       text    NOT NULL,
    host        text    NOT NULL,
    pid         bigint  NOT NULL,
    description text    NOT NULL,
    PRIMARY KEY (name, slot),
    UNIQUE (name, owner)
) WITH (fillfactor = 70);

CREATE TABLE IF NOT EXISTS holdfast_share_queue (
    name        bytea   NOT NULL,
    owner       text    NOT NULL,
    place       bigint  GENERATED ALWAYS AS IDENTITY,
    slots       integer NOT NULL,     -- of a semaphore: it takes any slot below this number
    lease       bigint  NOT NULL,
    tokens      integer NOT NULL,
    inbox       text    NOT NULL,
    kind        text    NOT NULL,
    notes       text    NOT NULL,
    host        text    NOT NULL,
    pid         bigint  NOT NULL,
    description text    NOT NULL,
    expires_at  bigint  NOT NULL,
    PRIMARY KEY (name, owner)
);

-- One counter per bucket of names, so that rows of locks can be deleted. Its row is also the bucket's mutex.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    bucket  integer PRIMARY KEY,
    counter bigint  NOT NULL CHECK (counter < 9007199254740992)
) WITH (fillfactor = 50);

-- The version of these tables, in a row that is no counter. Tables of another version are refused. New columns have no defaults:
-- a client of an older version must not be able to write here.
INSERT INTO holdfast_fence (bucket, counter) VALUES (-3, 2) ON CONFLICT DO NOTHING;

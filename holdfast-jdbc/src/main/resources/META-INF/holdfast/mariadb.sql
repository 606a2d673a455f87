-- Holdfast on MariaDB 10.6 or later and MySQL 8 or later. Hand this file to your migration tool, or call
-- JdbcBackend.createTables. All times are microseconds since 1970 by the clock of this database.

CREATE TABLE IF NOT EXISTS holdfast_lock (
    name        VARBINARY(512) NOT NULL PRIMARY KEY,  -- UTF-8; bytes, because text would ignore case and trailing spaces
    owner       CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    token       BIGINT NOT NULL,                      -- the highest of the block (token - tokens, token]
    tokens      INT    NOT NULL,
    granted_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    kind        VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,  -- x: exclusive. One that a client does not know is held by somebody
    notes       VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,  -- - or name=value,name=value
    host        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    pid         BIGINT NOT NULL,
    description VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS holdfast_queue (
    name        VARBINARY(512) NOT NULL,
    owner       CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    place       BIGINT NOT NULL AUTO_INCREMENT UNIQUE,
    lease       BIGINT NOT NULL,
    tokens      INT    NOT NULL,
    inbox       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind        VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    notes       VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,  -- since=… when it began to wait, in milliseconds by its own clock
    host        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    pid         BIGINT NOT NULL,
    description VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    expires_at  BIGINT NOT NULL,                      -- a waiter that stops asking loses its place
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- Semaphores and read-write locks: a row for each holder. Locks have nothing to do with these two tables.
CREATE TABLE IF NOT EXISTS holdfast_share (
    name        VARBINARY(523) NOT NULL,              -- 0x1f, then semaphore: or rw: and the name, in UTF-8
    slot        INT    NOT NULL,                      -- of a semaphore its slot; of a read-write lock 0 for the writer, readers from 1
    owner       CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    token       BIGINT NOT NULL,
    tokens      INT    NOT NULL,
    granted_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    kind        VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,  -- s: slot, r: reader, w: writer. One that a client does not know tolerates nobody beside it
    notes       VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
    host        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    pid         BIGINT NOT NULL,
    description VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    PRIMARY KEY (name, slot),
    UNIQUE (name, owner)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS holdfast_share_queue (
    name        VARBINARY(523) NOT NULL,
    owner       CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    place       BIGINT NOT NULL AUTO_INCREMENT UNIQUE,
    slots       INT    NOT NULL,                      -- of a semaphore: it takes any slot below this number
    lease       BIGINT NOT NULL,
    tokens      INT    NOT NULL,
    inbox       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind        VARCHAR(16)   CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    notes       VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL,
    host        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    pid         BIGINT NOT NULL,
    description VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (name, owner)
) ENGINE = InnoDB;

-- One counter per bucket of names, so that rows of locks can be deleted. Its row is also the bucket's mutex.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    bucket  INT    NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL CHECK (counter < 9007199254740992)
) ENGINE = InnoDB;

-- The version of these tables, in a row that is no counter. Tables of another version are refused. New columns have no defaults:
-- a client of an older version must not be able to write here.
INSERT IGNORE INTO holdfast_fence (bucket, counter) VALUES (-3, 2);

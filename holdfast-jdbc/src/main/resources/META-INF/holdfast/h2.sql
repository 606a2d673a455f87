-- Holdfast on H2 2.x. Hand this file to your migration tool, or call JdbcBackend.createTables.
-- All times are microseconds since 1970 by the clock of this database.

CREATE TABLE IF NOT EXISTS holdfast_lock (
    name        VARBINARY(512) PRIMARY KEY,  -- UTF-8; UTF8TOSTRING(name) to read it
    owner       CHAR(22)     NOT NULL,
    token       BIGINT       NOT NULL,       -- the highest of the block (token - tokens, token]
    tokens      INTEGER      NOT NULL,
    granted_at  BIGINT       NOT NULL,
    expires_at  BIGINT       NOT NULL,
    host        VARCHAR(255) NOT NULL,
    pid         BIGINT       NOT NULL,
    description VARCHAR(255) NOT NULL
);

-- One counter per bucket of names, so that rows of locks can be deleted. Its row is also the bucket's mutex.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    bucket  INTEGER PRIMARY KEY,
    counter BIGINT  NOT NULL CHECK (counter < 9007199254740992)
);

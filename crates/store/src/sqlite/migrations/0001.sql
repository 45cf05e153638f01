-- Never edited once released: a change is a new file.

CREATE TABLE room (
    seq         INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL,           -- times are milliseconds since 1970
    messages    INTEGER NOT NULL DEFAULT 0,
    last_number INTEGER
) STRICT;

-- AUTOINCREMENT keeps the highest number and cursor ever used, so that none is given twice.
CREATE TABLE message (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    room        INTEGER NOT NULL REFERENCES room (seq),
    author_name TEXT    NOT NULL,
    author_kind TEXT    NOT NULL,
    author_run  TEXT,
    author_room TEXT,
    sent_at     INTEGER NOT NULL,
    to_run      TEXT,
    reply_to    TEXT,
    quotes      TEXT,                       -- JSON array of handles
    key_scope   TEXT,
    key         TEXT,
    posted      INTEGER NOT NULL,           -- cursor of its event
    withdrawn   INTEGER,                    -- cursor of its event
    body        TEXT    NOT NULL
) STRICT;
CREATE INDEX message_room ON message (room, number);
-- What an inbox may hold above its floor; what is withdrawn or meant for others is never stepped over.
CREATE INDEX message_all ON message (room, number, author_run)
    WHERE to_run IS NULL AND withdrawn IS NULL;
CREATE INDEX message_to ON message (to_run, number, room, author_run)
    WHERE to_run IS NOT NULL AND withdrawn IS NULL;
CREATE UNIQUE INDEX message_key ON message (key_scope, key) WHERE key IS NOT NULL;

-- Messages to all that nobody took (returned deliveries do not count) and nobody withdrew: what a run
-- that opens has attached. Kept beside the message, so that taking one does not rewrite its body.
CREATE TABLE untaken (
    room   INTEGER NOT NULL REFERENCES room (seq),
    number INTEGER NOT NULL REFERENCES message (number),
    PRIMARY KEY (room, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT    NOT NULL UNIQUE,
    room            INTEGER NOT NULL REFERENCES room (seq),
    name            TEXT    NOT NULL,
    cli             TEXT    NOT NULL,
    credential_hash BLOB    NOT NULL,
    git             TEXT    NOT NULL,
    history         INTEGER NOT NULL,
    opened_at       INTEGER NOT NULL,
    ended_at        INTEGER,
    exit_code       INTEGER,
    session         TEXT,
    introduced      TEXT,
    alive_at        INTEGER NOT NULL,
    active_at       INTEGER NOT NULL,
    last_tool       TEXT,
    opened          INTEGER NOT NULL,       -- cursor of its event
    ended           INTEGER,                -- cursor of its event
    opened_floor    INTEGER NOT NULL,       -- as it was when the run opened
    floor           INTEGER NOT NULL        -- nothing at or below it waits but what is in pending
) STRICT;
CREATE INDEX run_room ON run (room, seq);
CREATE INDEX run_open ON run (seq) WHERE ended IS NULL;
CREATE INDEX run_live ON run (room, floor) WHERE ended IS NULL;
CREATE UNIQUE INDEX run_name ON run (room, name) WHERE ended IS NULL;
CREATE INDEX run_credential ON run (credential_hash) WHERE ended IS NULL;

-- The primary key is the guard against a second delivery.
CREATE TABLE ledger (
    run          INTEGER NOT NULL REFERENCES run (seq),
    number       INTEGER NOT NULL REFERENCES message (number),
    how          TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    session      TEXT,
    printed_kind TEXT,
    printed_mark TEXT,
    taken        INTEGER NOT NULL,          -- cursor of its event
    confirmed_at INTEGER,
    returned_at  INTEGER,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_message ON ledger (number, at, taken);
CREATE INDEX ledger_unproven ON ledger (run, session, number)
    WHERE confirmed_at IS NULL AND returned_at IS NULL;
CREATE INDEX ledger_returned ON ledger (session, number) WHERE returned_at IS NOT NULL;

-- What waits for a live run at or below its floor.
CREATE TABLE pending (
    run    INTEGER NOT NULL REFERENCES run (seq),
    number INTEGER NOT NULL REFERENCES message (number),
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

-- What waited there until it was withdrawn: an acknowledgement of it is still valid.
CREATE TABLE missed (
    run    INTEGER NOT NULL REFERENCES run (seq),
    number INTEGER NOT NULL REFERENCES message (number),
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

-- How far a session was shown a message that still waits.
CREATE TABLE piece (
    run     INTEGER NOT NULL REFERENCES run (seq),
    number  INTEGER NOT NULL REFERENCES message (number),
    session TEXT,
    offset  INTEGER NOT NULL
) STRICT;
CREATE INDEX piece_run ON piece (run, number);

CREATE TABLE event (
    cursor    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    room      INTEGER NOT NULL REFERENCES room (seq),
    number    INTEGER,
    run       TEXT,
    how       TEXT,
    exit_code INTEGER
) STRICT;
CREATE INDEX event_room ON event (room, cursor);

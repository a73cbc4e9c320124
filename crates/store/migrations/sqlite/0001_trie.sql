-- Ids are u64 hashes kept as their bits. Nothing references by foreign key: upserts commute, so an edge may
-- arrive before the positions it joins.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- `key` is what tells positions apart: the four-field EPD, or the whole FEN where transpositions are kept apart.
-- `id` is its hash, checked before every write, so one key cannot have two ids; an index to say the same of the
-- text would make the file about a third larger.
CREATE TABLE positions (
    id       INTEGER PRIMARY KEY,
    key      TEXT    NOT NULL,
    ply      INTEGER NOT NULL,
    halfmove INTEGER NOT NULL
);

-- Clustered by parent: the moves from a position are neighbours on disk.
CREATE TABLE edges (
    parent_id   INTEGER NOT NULL,
    move_uci    TEXT    NOT NULL,
    id          INTEGER NOT NULL,
    child_id    INTEGER NOT NULL,
    zeroing     INTEGER NOT NULL,
    move_san    TEXT    NOT NULL,
    source_hint TEXT,
    PRIMARY KEY (parent_id, move_uci)
) WITHOUT ROWID;

CREATE UNIQUE INDEX edges_by_id ON edges (id);

-- With `zeroing` (and the primary key that every index carries) it answers all that settling asks.
CREATE INDEX edges_by_child ON edges (child_id, zeroing);

-- Positions around which plies and counters are still to be settled; past a limit `meta` says `unsettled = all`.
CREATE TABLE unsettled (
    id INTEGER PRIMARY KEY
);

CREATE TABLE repertoire_edges (
    repertoire_key TEXT    NOT NULL,
    owner          TEXT    NOT NULL,
    edge_id        INTEGER NOT NULL,
    PRIMARY KEY (repertoire_key, owner, edge_id)
) WITHOUT ROWID;

-- `pv_uci` and `tags` are JSON arrays.
CREATE TABLE tactics (
    id          INTEGER PRIMARY KEY,
    fen         TEXT NOT NULL,
    pv_uci      TEXT NOT NULL,
    tags        TEXT NOT NULL,
    source_hint TEXT
);

CREATE TABLE import_journal (
    source      TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    config      TEXT    NOT NULL,
    byte_offset INTEGER NOT NULL,
    games       INTEGER NOT NULL,
    done        INTEGER NOT NULL,
    counters    TEXT    NOT NULL,
    PRIMARY KEY (source, fingerprint, config)
) WITHOUT ROWID;

CREATE TABLE rejects (
    source       TEXT    NOT NULL,
    game_index   INTEGER NOT NULL,
    byte_offset  INTEGER NOT NULL,
    error_offset INTEGER NOT NULL,
    outcome      TEXT    NOT NULL,
    ply          INTEGER NOT NULL,
    san          TEXT    NOT NULL,
    fen          TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    PRIMARY KEY (source, game_index)
) WITHOUT ROWID;

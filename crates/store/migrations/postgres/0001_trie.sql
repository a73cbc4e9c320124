-- Ids are u64 hashes kept as their bits. Nothing references by foreign key: upserts commute, so an edge may
-- arrive before the positions it joins. Texts that are compared are compared by bytes (COLLATE "C"), as in Rust.

CREATE TABLE meta (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- `key` is what tells positions apart: the four-field EPD, or the whole FEN where transpositions are kept apart.
-- `id` is its hash, checked before every write, so one key cannot have two ids without an index on the text.
-- Room is left in each page so that settling a ply rewrites the row beside itself and touches no index.
CREATE TABLE positions (
    id       bigint PRIMARY KEY,
    ply      integer NOT NULL,
    halfmove integer NOT NULL,
    key      text COLLATE "C" NOT NULL
) WITH (fillfactor = 90);

CREATE TABLE edges (
    id          bigint PRIMARY KEY,
    parent_id   bigint NOT NULL,
    child_id    bigint NOT NULL,
    zeroing     boolean NOT NULL,
    move_uci    text COLLATE "C" NOT NULL,
    move_san    text NOT NULL,
    source_hint text COLLATE "C",
    UNIQUE (parent_id, move_uci)
);

CREATE INDEX edges_by_child ON edges (child_id);

-- Positions around which plies and counters are still to be settled; a null stands for all of them.
CREATE TABLE unsettled (
    id bigint
);

CREATE TABLE repertoire_edges (
    repertoire_key text COLLATE "C" NOT NULL,
    owner          text COLLATE "C" NOT NULL,
    edge_id        bigint NOT NULL,
    PRIMARY KEY (repertoire_key, owner, edge_id)
);

CREATE TABLE tactics (
    id          bigint PRIMARY KEY,
    fen         text NOT NULL,
    pv_uci      text[] NOT NULL,
    tags        text[] COLLATE "C" NOT NULL DEFAULT '{}',
    source_hint text COLLATE "C"
);

CREATE TABLE import_journal (
    source      text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    config      text NOT NULL,
    byte_offset bigint NOT NULL,
    games       bigint NOT NULL,
    done        boolean NOT NULL,
    counters    text NOT NULL,
    PRIMARY KEY (source, fingerprint, config)
);

CREATE TABLE rejects (
    source       text COLLATE "C" NOT NULL,
    game_index   bigint NOT NULL,
    byte_offset  bigint NOT NULL,
    error_offset bigint NOT NULL,
    outcome      text NOT NULL,
    ply          integer NOT NULL,
    san          text NOT NULL,
    fen          text NOT NULL,
    reason       text NOT NULL,
    PRIMARY KEY (source, game_index)
);

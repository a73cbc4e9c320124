-- The opening knowledge base. Positions and edges are those of the trie; what games say of them is kept apart, by
-- collection. A position is a node of the knowledge base as long as some collection has a row about it, if one without
-- games; so is an edge. Times are RFC 3339 in UTC, opening and structure ids the 16 bytes of a UUID, lists JSON arrays.

CREATE TABLE collections (
    id        INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    source    TEXT    NOT NULL,
    games     INTEGER NOT NULL,
    min_games INTEGER NOT NULL,
    depth     INTEGER NOT NULL,
    max_ply   INTEGER,
    facets    TEXT    NOT NULL
);

-- `is_branching` is null only within the transaction that makes the node.
CREATE TABLE nodes (
    id           INTEGER PRIMARY KEY,
    source       TEXT    NOT NULL CHECK (source IN ('openings', 'corpus', 'explorer', 'validation')),
    opening_id   BLOB,
    named        INTEGER NOT NULL,
    is_branching INTEGER,
    structure    TEXT,
    structure_by TEXT CHECK (structure_by IN ('rule', 'person')),
    flagged      TEXT,
    stub_count   INTEGER NOT NULL,
    created_at   TEXT    NOT NULL,
    updated_at   TEXT    NOT NULL
);

CREATE TABLE node_counts (
    collection INTEGER NOT NULL,
    node_id    INTEGER NOT NULL,
    white      INTEGER NOT NULL,
    draws      INTEGER NOT NULL,
    black      INTEGER NOT NULL,
    rating_sum INTEGER NOT NULL,
    rated      INTEGER NOT NULL,
    first_year INTEGER NOT NULL,
    last_year  INTEGER NOT NULL,
    PRIMARY KEY (collection, node_id)
) WITHOUT ROWID;

CREATE TABLE edge_counts (
    collection INTEGER NOT NULL,
    parent_id  INTEGER NOT NULL,
    move_uci   TEXT    NOT NULL,
    white      INTEGER NOT NULL,
    draws      INTEGER NOT NULL,
    black      INTEGER NOT NULL,
    rating_sum INTEGER NOT NULL,
    rated      INTEGER NOT NULL,
    first_year INTEGER NOT NULL,
    last_year  INTEGER NOT NULL,
    PRIMARY KEY (collection, parent_id, move_uci)
) WITHOUT ROWID;

-- `speed` counts from 0: unknown, ultraBullet, bullet, blitz, rapid, classical, correspondence.
CREATE TABLE edge_facets (
    collection INTEGER NOT NULL,
    parent_id  INTEGER NOT NULL,
    move_uci   TEXT    NOT NULL,
    year       INTEGER NOT NULL,
    band       INTEGER NOT NULL,
    speed      INTEGER NOT NULL,
    white      INTEGER NOT NULL,
    draws      INTEGER NOT NULL,
    black      INTEGER NOT NULL,
    rating_sum INTEGER NOT NULL,
    rated      INTEGER NOT NULL,
    PRIMARY KEY (collection, parent_id, move_uci, year, band, speed)
) WITHOUT ROWID;

CREATE TABLE games (
    collection INTEGER NOT NULL,
    id         INTEGER NOT NULL,
    white      TEXT    NOT NULL,
    black      TEXT    NOT NULL,
    white_elo  INTEGER,
    black_elo  INTEGER,
    result     TEXT    NOT NULL,
    date       TEXT    NOT NULL,
    event      TEXT    NOT NULL,
    site       TEXT    NOT NULL,
    round      TEXT    NOT NULL,
    PRIMARY KEY (collection, id)
) WITHOUT ROWID;

-- The games of the strongest players and the most recent ones, each as `game:move` between spaces, with `|` between the
-- two lists. A row for each game would be nine tenths of all rows of a knowledge base.
CREATE TABLE node_games (
    collection INTEGER NOT NULL,
    node_id    INTEGER NOT NULL,
    games      TEXT    NOT NULL,
    PRIMARY KEY (collection, node_id)
) WITHOUT ROWID;

CREATE TABLE openings (
    id            BLOB PRIMARY KEY,
    eco           TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    family        TEXT    NOT NULL,
    variation     TEXT,
    slug          TEXT    NOT NULL UNIQUE,
    category      TEXT    NOT NULL,
    primary_color TEXT    NOT NULL CHECK (primary_color IN ('W', 'B')),
    system        TEXT    NOT NULL,
    root_id       INTEGER NOT NULL,
    aliases       TEXT    NOT NULL,
    tags          TEXT    NOT NULL
) WITHOUT ROWID;

CREATE INDEX openings_by_eco ON openings (eco);

CREATE TABLE opening_positions (
    opening_id  BLOB    NOT NULL,
    position_id INTEGER NOT NULL,
    line        TEXT    NOT NULL,
    PRIMARY KEY (opening_id, position_id)
) WITHOUT ROWID;

CREATE INDEX opening_positions_by_position ON opening_positions (position_id);

CREATE TABLE opening_resolutions (
    opening_id BLOB    NOT NULL,
    node_id    INTEGER NOT NULL,
    PRIMARY KEY (opening_id, node_id)
) WITHOUT ROWID;

CREATE TABLE opening_relations (
    a BLOB NOT NULL,
    b BLOB NOT NULL,
    PRIMARY KEY (a, b),
    CHECK (a < b)
) WITHOUT ROWID;

CREATE INDEX opening_relations_by_b ON opening_relations (b);

-- Openings whose trees meet, each pair once.
CREATE TABLE node_transpositions (
    opening_a    BLOB    NOT NULL,
    opening_b    BLOB    NOT NULL,
    nodes        INTEGER NOT NULL,
    games        INTEGER NOT NULL,
    example_node INTEGER NOT NULL,
    PRIMARY KEY (opening_a, opening_b),
    CHECK (opening_a < opening_b)
) WITHOUT ROWID;

CREATE INDEX node_transpositions_by_b ON node_transpositions (opening_b);

CREATE TABLE structures (
    id          BLOB PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    plans_white TEXT NOT NULL,
    plans_black TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE structure_openings (
    structure  TEXT    NOT NULL,
    opening_id BLOB    NOT NULL,
    nodes      INTEGER NOT NULL,
    games      INTEGER NOT NULL,
    PRIMARY KEY (structure, opening_id)
) WITHOUT ROWID;

CREATE TABLE review_queue (
    node_id INTEGER NOT NULL,
    reason  TEXT    NOT NULL,
    detail  TEXT    NOT NULL,
    answer  TEXT,
    PRIMARY KEY (node_id, reason)
) WITHOUT ROWID;

CREATE INDEX review_answers ON review_queue (node_id) WHERE answer IS NOT NULL;

CREATE TABLE node_changelog (
    seq        INTEGER PRIMARY KEY,
    node_id    INTEGER NOT NULL,
    changed_at TEXT    NOT NULL,
    field      TEXT    NOT NULL,
    old_value  TEXT,
    new_value  TEXT
);

CREATE INDEX node_changelog_by_node ON node_changelog (node_id);

CREATE TABLE book_moves (
    parent_id INTEGER NOT NULL,
    move_uci  TEXT    NOT NULL,
    weight    INTEGER NOT NULL,
    PRIMARY KEY (parent_id, move_uci)
) WITHOUT ROWID;

-- The positions an explorer was asked about.
CREATE TABLE crawl_answers (
    collection INTEGER NOT NULL,
    node_id    INTEGER NOT NULL,
    depth      INTEGER NOT NULL,
    PRIMARY KEY (collection, node_id)
) WITHOUT ROWID;

CREATE TABLE phases (
    name    TEXT PRIMARY KEY,
    input   TEXT NOT NULL,
    figures TEXT NOT NULL,
    done_at TEXT NOT NULL
) WITHOUT ROWID;

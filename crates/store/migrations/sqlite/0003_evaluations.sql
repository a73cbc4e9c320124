-- What engines say. `evaluations` holds any position, whether or not it is in a graph: positions of games under review,
-- of imports, of the knowledge base. Its key has the position's hash; the position itself lies beside it in at most 24
-- bytes (binary FEN without counters), so that two positions under one hash are found out, for less than half of what
-- the text would take.

CREATE TABLE engines (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
);

-- `lines` is one text, `index eval depth seldepth wdl moves…` for each line, with `|` between them. A row for each line
-- would repeat the key, which is as long. `evaluated_at` counts seconds since 1970.
CREATE TABLE evaluations (
    position_id  INTEGER NOT NULL,
    engine_id    INTEGER NOT NULL,
    search_limit TEXT    NOT NULL,
    multipv      INTEGER NOT NULL,
    position     BLOB    NOT NULL,
    depth        INTEGER NOT NULL,
    nodes        INTEGER NOT NULL,
    millis       INTEGER NOT NULL,
    hashfull     INTEGER,
    tbhits       INTEGER NOT NULL,
    lines        TEXT    NOT NULL,
    evaluated_at INTEGER NOT NULL,
    PRIMARY KEY (position_id, engine_id, search_limit, multipv)
) WITHOUT ROWID;

-- What a node of the knowledge base shows of them. It is kept apart from `nodes` because it outlives the node: a position
-- that falls out of a build and returns with the next one has not become another.
CREATE TABLE node_evaluations (
    node_id       INTEGER PRIMARY KEY,
    eval          INTEGER NOT NULL,
    mate          INTEGER,
    depth         INTEGER NOT NULL,
    best_move     TEXT,
    best_move_uci TEXT,
    is_dubious    INTEGER NOT NULL,
    is_busted     INTEGER NOT NULL,
    engine        TEXT    NOT NULL
);

-- Positions no engine could answer. There are few, so the EPD is text. `engine` is empty where anybody's answer would do.
CREATE TABLE quarantine (
    position_id    INTEGER NOT NULL,
    search_limit   TEXT    NOT NULL,
    multipv        INTEGER NOT NULL,
    engine         TEXT    NOT NULL,
    epd            TEXT    NOT NULL,
    tries          INTEGER NOT NULL,
    reason         TEXT    NOT NULL,
    quarantined_at TEXT    NOT NULL,
    PRIMARY KEY (position_id, search_limit, multipv, engine)
) WITHOUT ROWID;

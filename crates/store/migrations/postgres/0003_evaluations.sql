-- What engines say. `evaluations` holds any position, whether or not it is in a graph: positions of games under review,
-- of imports, of the knowledge base. Its key has the position's hash; the position itself lies beside it in at most 24
-- bytes (binary FEN without counters), so that two positions under one hash are found out, for less than half of what
-- the text would take.

CREATE TABLE engines (
    id   bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- `lines` is one text, `index eval depth seldepth wdl moves…` for each line, with `|` between them. A row for each line
-- would repeat the key, which is as long. `evaluated_at` counts seconds since 1970.
CREATE TABLE evaluations (
    position_id  bigint NOT NULL,
    engine_id    bigint NOT NULL,
    search_limit text COLLATE "C" NOT NULL,
    multipv      integer NOT NULL,
    position     bytea NOT NULL,
    depth        integer NOT NULL,
    nodes        bigint NOT NULL,
    millis       bigint NOT NULL,
    hashfull     integer,
    tbhits       bigint NOT NULL,
    lines        text COLLATE "C" NOT NULL,
    evaluated_at bigint NOT NULL,
    PRIMARY KEY (position_id, engine_id, search_limit, multipv)
);

-- What a node of the knowledge base shows of them. It is kept apart from `nodes` because it outlives the node: a position
-- that falls out of a build and returns with the next one has not become another.
CREATE TABLE node_evaluations (
    node_id       bigint PRIMARY KEY,
    eval          integer NOT NULL,
    mate          integer,
    depth         integer NOT NULL,
    best_move     text COLLATE "C",
    best_move_uci text COLLATE "C",
    is_dubious    boolean NOT NULL,
    is_busted     boolean NOT NULL,
    engine        text COLLATE "C" NOT NULL
);

-- Positions no engine could answer. There are few, so the EPD is text. `engine` is empty where anybody's answer would do.
CREATE TABLE quarantine (
    position_id    bigint NOT NULL,
    search_limit   text COLLATE "C" NOT NULL,
    multipv        integer NOT NULL,
    engine         text COLLATE "C" NOT NULL,
    epd            text COLLATE "C" NOT NULL,
    tries          integer NOT NULL,
    reason         text COLLATE "C" NOT NULL,
    quarantined_at timestamptz NOT NULL,
    PRIMARY KEY (position_id, search_limit, multipv, engine)
);

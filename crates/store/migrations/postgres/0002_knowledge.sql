-- The opening knowledge base. Positions and edges are those of the trie; what games say of them is kept apart, by
-- collection. A position is a node of the knowledge base as long as some collection has a row about it, if one without
-- games; so is an edge. Lists are JSON arrays: they are read whole and never searched.

CREATE TABLE collections (
    id        bigint PRIMARY KEY,
    name      text COLLATE "C" NOT NULL UNIQUE,
    source    text COLLATE "C" NOT NULL,
    games     bigint NOT NULL,
    min_games bigint NOT NULL,
    depth     integer NOT NULL,
    max_ply   integer,
    facets    text COLLATE "C" NOT NULL
);

-- `is_branching` is null only within the transaction that makes the node.
CREATE TABLE nodes (
    id           bigint PRIMARY KEY,
    source       text COLLATE "C" NOT NULL CHECK (source IN ('openings', 'corpus', 'explorer', 'validation')),
    opening_id   uuid,
    named        boolean NOT NULL,
    is_branching boolean,
    structure    text COLLATE "C",
    structure_by text COLLATE "C" CHECK (structure_by IN ('rule', 'person')),
    flagged      text COLLATE "C",
    stub_count   bigint NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);

CREATE TABLE node_counts (
    collection bigint NOT NULL,
    node_id    bigint NOT NULL,
    white      bigint NOT NULL,
    draws      bigint NOT NULL,
    black      bigint NOT NULL,
    rating_sum bigint NOT NULL,
    rated      bigint NOT NULL,
    first_year integer NOT NULL,
    last_year  integer NOT NULL,
    PRIMARY KEY (collection, node_id)
);

CREATE TABLE edge_counts (
    collection bigint NOT NULL,
    parent_id  bigint NOT NULL,
    move_uci   text COLLATE "C" NOT NULL,
    white      bigint NOT NULL,
    draws      bigint NOT NULL,
    black      bigint NOT NULL,
    rating_sum bigint NOT NULL,
    rated      bigint NOT NULL,
    first_year integer NOT NULL,
    last_year  integer NOT NULL,
    PRIMARY KEY (collection, parent_id, move_uci)
);

-- `speed` counts from 0: unknown, ultraBullet, bullet, blitz, rapid, classical, correspondence.
CREATE TABLE edge_facets (
    collection bigint NOT NULL,
    parent_id  bigint NOT NULL,
    move_uci   text COLLATE "C" NOT NULL,
    year       integer NOT NULL,
    band       integer NOT NULL,
    speed      integer NOT NULL,
    white      bigint NOT NULL,
    draws      bigint NOT NULL,
    black      bigint NOT NULL,
    rating_sum bigint NOT NULL,
    rated      bigint NOT NULL,
    PRIMARY KEY (collection, parent_id, move_uci, year, band, speed)
);

CREATE TABLE games (
    collection bigint NOT NULL,
    id         bigint NOT NULL,
    white      text COLLATE "C" NOT NULL,
    black      text COLLATE "C" NOT NULL,
    white_elo  integer,
    black_elo  integer,
    result     text COLLATE "C" NOT NULL,
    date       text COLLATE "C" NOT NULL,
    event      text COLLATE "C" NOT NULL,
    site       text COLLATE "C" NOT NULL,
    round      text COLLATE "C" NOT NULL,
    PRIMARY KEY (collection, id)
);

-- The games of the strongest players and the most recent ones, each as `game:move` between spaces, with `|` between the
-- two lists. A row for each game would be nine tenths of all rows of a knowledge base.
CREATE TABLE node_games (
    collection bigint NOT NULL,
    node_id    bigint NOT NULL,
    games      text COLLATE "C" NOT NULL,
    PRIMARY KEY (collection, node_id)
);

CREATE TABLE openings (
    id            uuid PRIMARY KEY,
    eco           text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    family        text COLLATE "C" NOT NULL,
    variation     text COLLATE "C",
    slug          text COLLATE "C" NOT NULL UNIQUE,
    category      text COLLATE "C" NOT NULL,
    primary_color text COLLATE "C" NOT NULL CHECK (primary_color IN ('W', 'B')),
    system        text COLLATE "C" NOT NULL,
    root_id       bigint NOT NULL,
    aliases       text COLLATE "C" NOT NULL,
    tags          text COLLATE "C" NOT NULL
);

CREATE INDEX openings_by_eco ON openings (eco);

CREATE TABLE opening_positions (
    opening_id  uuid NOT NULL,
    position_id bigint NOT NULL,
    line        text COLLATE "C" NOT NULL,
    PRIMARY KEY (opening_id, position_id)
);

CREATE INDEX opening_positions_by_position ON opening_positions (position_id);

CREATE TABLE opening_resolutions (
    opening_id uuid NOT NULL,
    node_id    bigint NOT NULL,
    PRIMARY KEY (opening_id, node_id)
);

CREATE TABLE opening_relations (
    a uuid NOT NULL,
    b uuid NOT NULL,
    PRIMARY KEY (a, b),
    CHECK (a < b)
);

CREATE INDEX opening_relations_by_b ON opening_relations (b);

-- Openings whose trees meet, each pair once.
CREATE TABLE node_transpositions (
    opening_a    uuid NOT NULL,
    opening_b    uuid NOT NULL,
    nodes        bigint NOT NULL,
    games        bigint NOT NULL,
    example_node bigint NOT NULL,
    PRIMARY KEY (opening_a, opening_b),
    CHECK (opening_a < opening_b)
);

CREATE INDEX node_transpositions_by_b ON node_transpositions (opening_b);

CREATE TABLE structures (
    id          uuid PRIMARY KEY,
    slug        text COLLATE "C" NOT NULL UNIQUE,
    name        text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    plans_white text COLLATE "C" NOT NULL,
    plans_black text COLLATE "C" NOT NULL
);

CREATE TABLE structure_openings (
    structure  text COLLATE "C" NOT NULL,
    opening_id uuid NOT NULL,
    nodes      bigint NOT NULL,
    games      bigint NOT NULL,
    PRIMARY KEY (structure, opening_id)
);

CREATE TABLE review_queue (
    node_id bigint NOT NULL,
    reason  text COLLATE "C" NOT NULL,
    detail  text COLLATE "C" NOT NULL,
    answer  text COLLATE "C",
    PRIMARY KEY (node_id, reason)
);

CREATE INDEX review_answers ON review_queue (node_id) WHERE answer IS NOT NULL;

CREATE TABLE node_changelog (
    seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node_id    bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    field      text COLLATE "C" NOT NULL,
    old_value  text COLLATE "C",
    new_value  text COLLATE "C"
);

CREATE INDEX node_changelog_by_node ON node_changelog (node_id);

CREATE TABLE book_moves (
    parent_id bigint NOT NULL,
    move_uci  text COLLATE "C" NOT NULL,
    weight    integer NOT NULL,
    PRIMARY KEY (parent_id, move_uci)
);

-- The positions an explorer was asked about.
CREATE TABLE crawl_answers (
    collection bigint NOT NULL,
    node_id    bigint NOT NULL,
    depth      integer NOT NULL,
    PRIMARY KEY (collection, node_id)
);

CREATE TABLE phases (
    name    text COLLATE "C" PRIMARY KEY,
    input   text COLLATE "C" NOT NULL,
    figures text COLLATE "C" NOT NULL,
    done_at timestamptz NOT NULL
);

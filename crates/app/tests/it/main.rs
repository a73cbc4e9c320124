//! The opening knowledge base, phase by phase, each test on a database of its own.

#[path = "../../../lichess/tests/it/book.rs"]
mod book;
#[path = "../../../cli/tests/it/corpus.rs"]
#[expect(dead_code, reason = "only its dice are thrown here")]
mod corpus;
#[path = "../../../cli/tests/it/postgres.rs"]
mod postgres;
#[path = "../../../lichess/tests/it/server.rs"]
#[expect(dead_code, reason = "the crawler's own tests ask for more")]
mod server;
#[path = "../../../store/tests/it/servers.rs"]
mod servers;

mod adding;
mod annotate;
mod annotate_cloud;
mod annotate_troubles;
mod annotate_while_building;
mod audit;
mod build_all;
mod counting;
mod crawl;
mod crawl_limits;
mod desk;
mod eco;
mod engines;
mod explorer;
mod export_files;
mod export_json;
mod export_pgn;
mod export_polyglot;
mod export_tables;
mod exports;
mod fetch;
mod importing;
mod kept_counts;
mod lost_counts;
mod merging;
mod parts;
mod random_games;
mod rated_games;
mod review;
mod review_files;
mod review_lines;
mod review_runs;
mod skeletons;
mod spot_check;
mod structures;
mod study;
mod transpositions;
mod validate;
mod workshop;

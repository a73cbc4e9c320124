//! The programs as their users meet them: arguments in, exit code, standard output and standard error out.

#[path = "../../../app/src/positions/tests/games.rs"]
mod blitz_games;
#[path = "../../../app/tests/it/engines.rs"]
mod engines;
#[path = "../../../store/tests/it/servers.rs"]
mod servers;

mod analyze;
mod annotate;
#[cfg(target_os = "linux")]
mod annotate_crash;
mod bad_games;
mod build;
mod build_crash;
mod build_troubles;
mod configuration;
mod corpus;
mod count;
mod crash;
#[cfg(target_os = "linux")]
mod deployment;
mod doctor;
mod evals;
mod example;
mod export;
mod export_crash;
#[cfg(target_os = "linux")]
mod faults;
mod fetch;
mod figures;
#[cfg(target_os = "linux")]
mod foreign_names;
mod fuzz_corpora;
mod help;
#[cfg(target_os = "linux")]
mod hostile_inputs;
mod inputs;
#[cfg(target_os = "linux")]
mod kills;
mod lookup;
mod mutation;
mod name;
mod outputs;
mod overwriting;
mod position_files;
mod positions;
mod positions_crash;
mod postgres;
mod project;
mod reader_alone;
mod repertoire;
mod review;
mod review_outputs;
mod review_troubles;
mod sandbox;
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(unix)]
mod serve;
mod shards;
mod site;
mod stores;
mod structure;
mod troubles;
mod workers;

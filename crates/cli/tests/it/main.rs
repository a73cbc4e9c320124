//! The programs as their users meet them: arguments in, exit code, standard output and standard error out.

#[path = "../../../app/tests/it/engines.rs"]
mod engines;

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
mod doctor;
mod evals;
mod example;
mod help;
mod inputs;
mod name;
mod outputs;
mod postgres;
mod repertoire;
mod sandbox;
mod shards;
mod stores;
mod structure;
mod troubles;
mod workers;

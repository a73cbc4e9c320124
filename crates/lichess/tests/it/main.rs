//! The clients and the crawl, against a real server in this process that misbehaves on script; and the archive.

mod archive;
mod archive_server;
mod book;
mod client;
mod cloud;
mod crawl;
mod crawl_faults;
mod eval_lines;
mod fixture;
mod server;

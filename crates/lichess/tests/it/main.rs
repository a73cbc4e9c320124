//! The clients and the crawl, against a real server in this process that misbehaves on script.

mod book;
mod client;
mod cloud;
mod crawl;
mod crawl_faults;
mod fixture;
mod server;

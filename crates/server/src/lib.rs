//! The opening knowledge base over HTTP.
//!
//! ```text
//! request ──▶ conduct: limits, tags, counting ──▶ routes ──▶ app::explore ──▶ wire ──▶ JSON
//! ```
//!
//! ```no_run
//! use tabiya_server::{ServeOptions, Server};
//!
//! # async fn serve() -> Result<(), tabiya_server::ServeError> {
//! let options = ServeOptions { bind: ([127, 0, 0, 1], 8000).into(), ..ServeOptions::default() };
//! let server = Server::bind("sqlite://tabiya.db", options).await?;
//! println!("http://{}", server.address());
//! server.run(async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await
//! # }
//! ```
//!
//! Answers come from a snapshot in memory, or from the database until the first one is loaded. Nothing here writes to it.

mod accept;
mod answer;
mod asking;
mod conduct;
mod connections;
#[doc(hidden)]
pub mod fuzzing;
mod games;
mod guests;
mod openapi;
mod options;
mod page;
mod problem;
mod reload;
mod routes;
mod server;
mod shared;
mod uploads;
pub mod wire;
mod written;

pub use openapi::openapi_json;
pub use options::{ApiKey, Limits, ServeOptions};
pub use page::{has_page, page_parts, page_parts_of_others};
pub use problem::{Located, Problem};
pub use server::{ServeError, Server};

//! shakmaty is the oracle: whatever this crate does faster or more leniently is compared with
//! it over random games.

mod identity;
mod notation;
mod perft;
mod resolve;
mod review;
mod structures;
mod walks;

//! Opening names: the table that ships with the program, tables of one's own, and what they name.

mod character;
mod eco;
mod id;
mod movetext;
mod names;
mod read;
mod row;
mod skeleton;
mod table;

pub use character::Category;
pub use eco::{Eco, NotAnEcoCode};
pub use id::OpeningId;
pub use movetext::{Line, LineError, parse_line};
pub use names::slug;
pub use read::{NamesError, NamesFault, NamesFormat, read_names};
pub use row::{NamingSystem, NotANamingSystem, OpeningLine, OpeningLineError};
pub use skeleton::{Skeleton, SkeletonEdge, SkeletonNode};
pub use table::{Alias, Family, NamedPosition, Opening, OpeningTable};

#[cfg(test)]
mod tests;

//! `build eco`: the openings, their names, and the ways to them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{
    Fnv1a, NamingSystem, Opening, OpeningTable, PolyglotBook, PositionId, numbered_line, to_san, to_uci,
};
use tabiya_store::{BookMove, Graph, GraphEdge, GraphNode, NamedPosition, OpeningRow, Store};

use super::{
    names,
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::{
    AppError,
    name::{NameSources, Names},
};

/// Where the names come from.
#[derive(Debug, Clone, Default)]
pub struct EcoRequest {
    pub database: String,
    pub names: NameSources,
    /// A Polyglot book whose moves are marked.
    pub book: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EcoReport {
    pub openings: u64,
    pub families: u64,
    pub eco_codes: u64,
    pub lines: u64,
    pub aliases: u64,
    pub named_positions: u64,
    pub nodes: u64,
    pub edges: u64,
    /// Moves of the book that lie within the named lines and one move beyond.
    pub book_moves: u64,
    #[serde(default)]
    pub skipped: bool,
}

/// Enters every opening, and every position and move on the way to one.
pub async fn eco(request: &EcoRequest, steps: &Steps) -> Result<EcoReport, AppError> {
    steps.begin(Step::Openings);
    let names = Names::open(&request.names)?;
    let table = names.table();
    let book = request.book.as_deref().map(Book::read).transpose()?;
    let rows: Vec<OpeningRow> = table.openings().iter().map(|opening| row(table, opening)).collect();
    let input = fingerprint(request, table, &rows, book.as_ref());
    let store = Store::connect(&request.database).await?;
    if let Some(done) = phases::done::<EcoReport>(&store, &Phase::eco(), Some(&input)).await? {
        return Ok(EcoReport { skipped: true, ..done });
    }
    let graph = graph(table);
    let marked = match &book {
        Some(book) => book.marked(table)?,
        None => Vec::new(),
    };
    let mut codes: Vec<&str> = rows.iter().map(|row| row.eco.as_str()).collect();
    codes.dedup();
    let report = EcoReport {
        openings: rows.len() as u64,
        families: table.families().len() as u64,
        eco_codes: codes.len() as u64,
        lines: table.lines().len() as u64,
        aliases: rows.iter().map(|row| row.aliases.len() as u64).sum(),
        named_positions: table.named_positions().count() as u64,
        nodes: graph.nodes.len() as u64,
        edges: graph.edges.len() as u64,
        book_moves: marked.len() as u64,
        skipped: false,
    };
    phases::forget_after(&store, &Phase::eco()).await?;
    store.load_openings(&rows, graph).await?;
    store.set_book_moves(marked).await?;
    names::settle(&store).await?;
    phases::graph_changed(&store).await?;
    phases::record(&store, &Phase::eco(), Some(&input), &report).await?;
    store.close().await;
    Ok(report)
}

fn graph(table: &OpeningTable) -> Graph {
    let skeleton = table.skeleton();
    Graph {
        nodes: skeleton
            .nodes()
            .iter()
            .map(|node| GraphNode {
                id: node.id,
                epd: node.epd.clone(),
                ply: node.ply as u16,
                halfmove: node.position.halfmoves() as u16,
            })
            .collect(),
        edges: skeleton
            .edges()
            .iter()
            .map(|edge| GraphEdge {
                parent: edge.parent,
                child: edge.child,
                uci: edge.uci.clone(),
                san: edge.san.clone(),
            })
            .collect(),
    }
}

fn row(table: &OpeningTable, opening: &Opening) -> OpeningRow {
    let mut positions: Vec<NamedPosition> = table
        .lines_of(opening)
        .map(|line| NamedPosition {
            id: PositionId::of(line.end()),
            line: written(line.moves()),
        })
        .collect();
    positions.sort();
    positions.dedup();
    OpeningRow {
        id: opening.id().into(),
        eco: opening.eco().to_string(),
        name: opening.name().to_owned(),
        family: opening.opening_name().to_owned(),
        variation: opening.variation_name().map(str::to_owned),
        slug: opening.slug().to_owned(),
        category: opening.category().to_string(),
        primary_color: if opening.color().is_white() { 'W' } else { 'B' },
        system: opening.system().to_string(),
        root: PositionId::of(table.root_line(opening).end()),
        aliases: opening.aliases().iter().map(|alias| alias.name.clone()).collect(),
        tags: opening.tags().iter().map(|tag| (*tag).to_owned()).collect(),
        positions,
    }
}

/// `1.e4 e5 2.Nf3`.
fn written(moves: &[shakmaty::Move]) -> String {
    let mut pos = Chess::default();
    numbered_line(moves.iter().map(|m| {
        let san = to_san(&pos, *m);
        pos.play_unchecked(*m);
        san
    }))
}

/// A book of moves, as it was read.
struct Book {
    path: PathBuf,
    bytes: Vec<u8>,
    entries: PolyglotBook,
}

impl Book {
    fn read(path: &Path) -> Result<Book, AppError> {
        let bytes = fs::read(path).map_err(|source| AppError::Unreadable {
            input: path.display().to_string(),
            source,
        })?;
        let bad = |reason: String| AppError::BadBook {
            path: path.to_owned(),
            reason,
        };
        let entries = PolyglotBook::from_bytes(&bytes).map_err(|error| bad(error.to_string()))?;
        if entries.is_empty() {
            return Err(bad("the book is empty".to_owned()));
        }
        Ok(Book {
            path: path.to_owned(),
            bytes,
            entries,
        })
    }

    /// Its moves from every position on the way to a named one.
    fn marked(&self, table: &OpeningTable) -> Result<Vec<BookMove>, AppError> {
        let mut moves = Vec::new();
        for node in table.skeleton().nodes() {
            for known in self.entries.moves(&node.position).moves {
                moves.push(BookMove {
                    parent: node.id,
                    uci: to_uci(&node.position, known.m),
                    weight: known.weight,
                });
            }
        }
        // Any bytes can be read as entries. Those of a book are in order, and some of them are about openings.
        if moves.is_empty() && !self.entries.was_sorted() {
            return Err(AppError::BadBook {
                path: self.path.clone(),
                reason: "this is not a Polyglot book: its entries are in no order, and none is about a named opening"
                    .to_owned(),
            });
        }
        Ok(moves)
    }
}

/// Changes with the names, with what this program makes of them, and with the book. The program's version would change too often:
/// all games are counted again after this phase.
fn fingerprint(request: &EcoRequest, table: &OpeningTable, rows: &[OpeningRow], book: Option<&Book>) -> String {
    let mut hash = Fnv1a::default();
    for line in table.lines() {
        for part in [
            line.system().to_string(),
            line.eco().to_string(),
            line.name().to_owned(),
            written(line.moves()),
        ] {
            hash.update(part.as_bytes());
            hash.update(b"\t");
        }
    }
    for row in rows {
        hash.update(format!("{row:?}").as_bytes());
    }
    if let Some(book) = book {
        hash.update(&book.bytes);
    }
    let system = if request.names.source.is_some() {
        NamingSystem::Own
    } else {
        NamingSystem::Lichess
    };
    format!("{system} {:016x}", hash.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_otherwise_is_entered_anew() {
        let names = Names::open(&NameSources::default()).expect("the program's own names");
        let table = names.table();
        let of = |rows: &[OpeningRow]| fingerprint(&EcoRequest::default(), table, rows, None);
        let rows: Vec<OpeningRow> = table.openings()[..3]
            .iter()
            .map(|opening| row(table, opening))
            .collect();
        let mut tagged = rows.clone();
        tagged[1].tags.push("sharp".to_owned());
        assert_eq!(of(&rows), of(&rows.clone()));
        assert_ne!(of(&rows), of(&tagged));
    }
}

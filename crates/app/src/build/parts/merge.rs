//! Adding partial counts to those of a collection.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use pgn_import::{Input, InputError, expand_inputs};
use shakmaty::Chess;
use tabiya_chess::{Facet, FacetKinds, RatingBand, Speed, Stats, epd, from_uci, parse_fen};
use tabiya_counts::{CountError, CountedSource, PackedMove, PositionKey, Rules, State};
use tabiya_dataset::table::TableReader;

use super::{
    PartError, PartRules,
    rules::{BadRules, VERSION},
    table::{COLUMNS, SOURCES_KEY, Sources, column},
};
use crate::{
    AppError,
    build::count::{CountedFile, LeftOut},
};

/// Turns what the user named into tables: a directory into the `.parquet` files in it, a glob into what it matches.
pub fn expand_parts(named: &[String]) -> Result<Vec<Input>, AppError> {
    let mut parts = Vec::new();
    for name in named {
        if name == "-" {
            return Err(not_a_part(
                Path::new(name),
                "a Parquet file is read from both ends, standard input is not",
            )
            .into());
        }
        let path = Path::new(name);
        if !path.is_dir() {
            parts.extend(expand_inputs(&[name]).map_err(|error| match error {
                InputError::NotFound { .. } => PartError::Missing { path: path.to_owned() }.into(),
                other => AppError::from(other),
            })?);
            continue;
        }
        let found = tables_in(path).map_err(|source| AppError::Unreadable {
            input: name.clone(),
            source,
        })?;
        if found.is_empty() {
            return Err(not_a_part(path, "no .parquet file is in this directory").into());
        }
        parts.extend(found.into_iter().map(Input::Path));
    }
    Ok(parts)
}

/// The `.parquet` files in a directory, in the order of their names.
fn tables_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "parquet") && !path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Adds one part to `state` and commits it, or says that it is in there already. `fingerprint` is the part's, `facets` are what the
/// build wants to tell apart.
pub fn merge_part(
    state: &mut State,
    input: &Input,
    fingerprint: Option<String>,
    facets: FacetKinds,
    stop: &AtomicBool,
) -> Result<CountedFile, AppError> {
    match input {
        Input::Path(path) => Part::open(path)?.merge_into(state, fingerprint, facets, stop),
        Input::Stdin => Err(not_a_part(Path::new("-"), "name a file").into()),
    }
}

/// More games than were ever played. Sums of what is below can be added up without a thought.
const TOO_MANY: u64 = 1 << 40;
/// No rating is higher.
const HIGHEST_RATING: u64 = 4095;

/// A table of partial counts.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    rules: PartRules,
    sources: Option<Sources>,
}

impl Part {
    pub fn open(path: &Path) -> Result<Part, AppError> {
        // The rules alone, which say the version: a newer one may have other columns.
        let mut reader = TableReader::open(path, &COLUMNS[column::RULES..]).map_err(PartError::from)?;
        let sources = match reader.metadata(SOURCES_KEY) {
            None => None,
            Some(text) => {
                let read: Result<Sources, _> = serde_json::from_str(text);
                Some(read.map_err(|error| not_a_part(path, format!("its list of files cannot be read: {error}")))?)
            }
        };
        if !reader.advance().map_err(PartError::from)? {
            return Err(not_a_part(path, "it has no rows").into());
        }
        let rules = read_rules(path, &reader, 0)?;
        TableReader::open(path, &COLUMNS).map_err(PartError::from)?;
        Ok(Part {
            path: path.to_owned(),
            rules,
            sources,
        })
    }

    /// How its games were counted.
    pub fn rules(&self) -> &Rules {
        &self.rules.rules
    }

    /// The files of games it was counted from; `None` where others have merged it, who do not say.
    pub fn sources(&self) -> Option<&[CountedSource]> {
        self.sources.as_deref()
    }

    /// The games of its files, where it names them.
    fn said(&self) -> Result<Option<u64>, PartError> {
        let Some(sources) = self.sources() else {
            return Ok(None);
        };
        let games = sources.iter().map(|source| source.counted);
        let sum = games.into_iter().try_fold(0u64, u64::checked_add);
        let sum = sum.ok_or_else(|| not_a_part(&self.path, "its files have more games than can be counted"))?;
        Ok(Some(sum))
    }

    /// Adds it to `state` and commits it; after an error `state` is as it was.
    fn merge_into(
        &self,
        state: &mut State,
        fingerprint: Option<String>,
        facets: FacetKinds,
        stop: &AtomicBool,
    ) -> Result<CountedFile, AppError> {
        let mut file = CountedFile {
            name: self.path.display().to_string(),
            ..CountedFile::default()
        };
        self.check_rules(state.rules())?;
        self.check_facets(facets)?;
        if self.is_known(state, &fingerprint)? {
            file.known = true;
            file.games = self.said()?.unwrap_or(0);
            return Ok(file);
        }
        let merged = self.add_rows(state, stop).and_then(|counted| {
            state.add_counted_elsewhere(counted, self.rules.facets);
            let source = CountedSource {
                name: file.name.clone(),
                fingerprint,
                games: counted,
                counted,
                duplicates: 0,
            };
            state.commit_merged(source, self.sources.clone().unwrap_or_default())?;
            Ok(counted)
        });
        // What a part left out, the machine that counted it has reported.
        (file.games, file.counted, file.left_out) = match merged {
            Ok(counted) => (counted, counted, LeftOut::default()),
            Err(error) => {
                // If that fails too, the first error is the one to tell.
                let _ = state.roll_back();
                return Err(error);
            }
        };
        Ok(file)
    }

    /// Refuses games that were counted otherwise.
    pub fn check_rules(&self, asked: &Rules) -> Result<(), PartError> {
        if self.rules.rules != *asked {
            return Err(PartError::OtherRules {
                path: self.path.clone(),
                was: self.rules.rules.to_string(),
                asked: asked.to_string(),
            });
        }
        Ok(())
    }

    fn check_facets(&self, facets: FacetKinds) -> Result<(), PartError> {
        if !facets.within(self.rules.facets) {
            return Err(PartError::NoFacets {
                path: self.path.clone(),
                asked: facets.to_string(),
                has: self.rules.facets.to_string(),
            });
        }
        Ok(())
    }

    /// Whether the games are in the sums. If only some of them are, there is no way to add the others.
    fn is_known(&self, state: &State, own: &Option<String>) -> Result<bool, PartError> {
        let knows = |fingerprint: &Option<String>| fingerprint.as_ref().is_some_and(|print| state.knows(print));
        if knows(own) {
            return Ok(true);
        }
        let (known, new): (Vec<_>, Vec<_>) = self
            .sources()
            .into_iter()
            .flatten()
            .partition(|source| knows(&source.fingerprint));
        if known.is_empty() || new.is_empty() {
            return Ok(new.is_empty() && !known.is_empty());
        }
        let names = |sources: Vec<&CountedSource>| sources.into_iter().map(|source| source.name.clone()).collect();
        Err(PartError::PartlyKnown {
            path: self.path.clone(),
            known: names(known),
            new: names(new),
        })
    }

    /// Adds every row, and answers how many games they are of: as many as left the initial position.
    fn add_rows(&self, state: &mut State, stop: &AtomicBool) -> Result<u64, AppError> {
        let mut reader = TableReader::open(&self.path, &COLUMNS).map_err(PartError::from)?;
        let initial = epd(&Chess::default());
        let rules = self.rules.to_text();
        let mut here = Place::default();
        let mut games: u64 = 0;
        while reader.advance().map_err(PartError::from)? {
            if stop.load(Relaxed) {
                return Err(CountError::Stopped.into());
            }
            self.check_row_rules(&reader, &rules)?;
            let bad = |why: String| PartError::BadRow {
                path: self.path.clone(),
                row: reader.row(),
                why: a_line_of(why),
            };
            let text = |at| reader.text(at).map_err(PartError::from);
            here.go_to(text(column::EPD)?).map_err(bad)?;
            let by = here.by(text(column::UCI)?).map_err(bad)?;
            let facet = facet(&reader, text(column::SPEED)?).map_err(bad)?;
            let stats = stats(&reader).map_err(bad)?;
            if here.epd == initial {
                games = games
                    .checked_add(stats.games())
                    .filter(|games| *games < TOO_MANY)
                    .ok_or_else(|| bad("more games than were ever played".to_owned()))?;
            }
            state.add_sum(here.key, by, facet, stats)?;
        }
        match self.said()? {
            Some(said) if said != games => Err(PartError::OtherGames {
                path: self.path.clone(),
                said,
                found: games,
            }
            .into()),
            // A table that was split has the initial position in one of its files only.
            _ => Ok(games),
        }
    }

    fn check_row_rules(&self, reader: &TableReader, expected: &str) -> Result<(), PartError> {
        if reader.text(column::RULES)? == expected {
            return Ok(());
        }
        let other = read_rules(&self.path, reader, column::RULES)?;
        if other == self.rules {
            return Ok(());
        }
        Err(PartError::Mixed {
            path: self.path.clone(),
            one: self.rules.to_string(),
            other: other.to_string(),
        })
    }
}

/// The position of the row at hand. Rows of one position mostly stand together.
#[derive(Default)]
struct Place {
    epd: String,
    key: u64,
    pos: Chess,
}

impl Place {
    fn go_to(&mut self, text: &str) -> Result<(), String> {
        if self.epd == text {
            return Ok(());
        }
        let pos = parse_fen(text).map_err(|error| format!("{text:?}: {error}"))?.position;
        // Another spelling would be another row of the same position, which nobody could add up.
        let house = epd(&pos);
        if house != text {
            return Err(format!("{text:?} is written {house:?} here"));
        }
        self.key = PositionKey::of(&pos).value(&pos);
        self.pos = pos;
        self.epd = house;
        Ok(())
    }

    fn by(&self, uci: &str) -> Result<PackedMove, String> {
        if uci.is_empty() {
            return Ok(PackedMove::NONE);
        }
        let legal = from_uci(&self.pos, uci).map_err(|error| format!("{error}: {}", self.epd))?;
        Ok(PackedMove::of(legal))
    }
}

fn facet(reader: &TableReader, speed: &str) -> Result<Facet, String> {
    let band = year(reader, column::BAND)?;
    if !RatingBand::LOWER_ENDS.contains(&band) {
        return Err(format!("there is no rating band {band}"));
    }
    Ok(Facet {
        year: year(reader, column::YEAR)?,
        band: RatingBand::of(Some(band)),
        speed: Speed::from_name(speed).ok_or_else(|| format!("there is no speed {speed:?}"))?,
    })
}

fn stats(reader: &TableReader) -> Result<Stats, String> {
    let stats = Stats {
        white: reader.number(column::WHITE),
        draws: reader.number(column::DRAWS),
        black: reader.number(column::BLACK),
        rating_sum: reader.number(column::RATING_SUM),
        rated: reader.number(column::RATED),
        first_year: year(reader, column::FIRST_YEAR)?,
        last_year: year(reader, column::LAST_YEAR)?,
    };
    let games = [stats.white, stats.draws, stats.black]
        .into_iter()
        .try_fold(0u64, u64::checked_add);
    if games != Some(reader.number(column::GAMES)) {
        return Err(format!(
            "{} games are not the sum of wins and draws",
            reader.number(column::GAMES)
        ));
    }
    if stats.games() == 0 {
        return Err("it has no games".to_owned());
    }
    if stats.games() >= TOO_MANY {
        return Err(format!("{} games are more than were ever played", stats.games()));
    }
    if stats.rated > stats.games() {
        return Err(format!("{} of {} games have ratings", stats.rated, stats.games()));
    }
    if stats.rating_sum > stats.rated * HIGHEST_RATING {
        return Err(format!(
            "the ratings of {} games do not sum up to {}",
            stats.rated, stats.rating_sum
        ));
    }
    Ok(stats)
}

fn year(reader: &TableReader, at: usize) -> Result<u16, String> {
    let number = reader.number(at);
    u16::try_from(number).map_err(|_| format!("`{}` cannot be {number}", COLUMNS[at].name))
}

fn read_rules(path: &Path, reader: &TableReader, at: usize) -> Result<PartRules, PartError> {
    let text = reader.text(at)?;
    PartRules::from_text(text).map_err(|bad| match bad {
        BadRules::Newer(found) => PartError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        },
        BadRules::Unreadable(why) => not_a_part(path, format!("row {}: `rules`: {}", reader.row(), a_line_of(why))),
    })
}

/// So much of a reason is told. What it quotes may be as long as whoever wrote the table liked.
const LONGEST_REASON: usize = 300;

fn a_line_of(why: String) -> String {
    match why.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &why[..end]),
        None => why,
    }
}

fn not_a_part(path: &Path, why: impl Into<String>) -> PartError {
    PartError::NotAPart {
        path: path.to_owned(),
        why: why.into(),
    }
}

//! A directory with everything that was counted for one collection, below any threshold too.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read as _},
    path::{Path, PathBuf},
};

use hashbrown::HashSet;
use tabiya_chess::{Facet, FacetKinds, Stats};

use crate::{
    Block, CountError, CountedSource, GameHeader, GameInfo, PackedMove, Rules,
    departure::{DEPARTURE_BYTES, Departure, PARTITIONS},
    files::{Rows, Writer, read_rows},
    manifest::{Manifest, VERSION},
    parts::{TALLY_BYTES, Tallied},
    spill::{Departures, Spill, Spilled},
    texts::{Lately, ROW_HEAD, TextsByKey, write_row},
};

#[cfg(test)]
mod tests;

/// What became of a block's games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Added {
    pub counted: u64,
    /// Games that were counted before.
    pub duplicates: u64,
}

/// The counts of one collection on disk, and where new ones go.
#[derive(Debug)]
pub struct State {
    dir: PathBuf,
    manifest: Manifest,
    /// The identities of all counted games, in the order of their numbers on disk.
    seen: HashSet<u64>,
    /// What each game says about all positions it reached, by its number.
    infos: Vec<GameInfo>,
    info_file: Writer,
    departures: Spill,
    tallies: Vec<Option<Writer>>,
    texts: Option<TextFiles>,
    identities: Writer,
    header_ends: Writer,
    headers: Writer,
    scratch: Vec<u8>,
    /// The numbers of a block's games; none for those that were counted before.
    numbers: Vec<Option<u32>>,
}

impl State {
    /// What lies in a directory of counts changes its form or its meaning with this number. Counts of an earlier one are not read.
    pub const VERSION: u32 = VERSION;

    /// Begins from nothing; what lay there before is removed.
    pub fn create(dir: &Path, rules: Rules) -> Result<State, CountError> {
        State::begin(dir, Manifest::new(rules))
    }

    /// The same, and keeps the texts of positions, so that [`walk`](crate::walk) can go through the counts. They take
    /// more space than the counts themselves.
    pub fn create_with_texts(dir: &Path, rules: Rules) -> Result<State, CountError> {
        let mut manifest = Manifest::new(rules);
        manifest.texts = Some(vec![0; PARTITIONS]);
        State::begin(dir, manifest)
    }

    fn begin(dir: &Path, manifest: Manifest) -> Result<State, CountError> {
        // The path comes from the user: a directory that is not ours is left alone.
        let is_ours = match Manifest::read(dir) {
            Err(CountError::Older { .. }) => true,
            read => read?.is_some(),
        };
        let started = dir.join(STARTED);
        if dir.exists() && !is_ours && !is_empty(dir)? && !started.exists() {
            return Err(CountError::NotACount {
                path: dir.to_owned(),
                why: "it holds other files; name another one with --state".to_owned(),
            });
        }
        fs::create_dir_all(dir).map_err(CountError::io("create", dir))?;
        File::create(&started).map_err(CountError::io("create", started))?;
        clear(dir).map_err(CountError::io("clear", dir))?;
        manifest.write(dir)?;
        State::with(dir, manifest)
    }

    /// Opens what was counted before, and cuts off what a killed run left unfinished. `None` where nothing is.
    pub fn open(dir: &Path) -> Result<Option<State>, CountError> {
        let Some(manifest) = Manifest::read(dir)? else {
            return Ok(None);
        };
        State::with(dir, manifest).map(Some)
    }

    fn with(dir: &Path, manifest: Manifest) -> Result<State, CountError> {
        let games = u64::from(manifest.games);
        let departures = Spill::open(dir, manifest.pieces, &manifest.departures)?;
        let mut tallies = Vec::with_capacity(PARTITIONS);
        for (part, tallied) in manifest.tallies.iter().enumerate() {
            tallies.push(if *tallied > 0 {
                Some(Writer::open(tallies_file(dir, part), *tallied)?)
            } else {
                None
            });
        }
        let texts = match &manifest.texts {
            Some(lengths) => Some(TextFiles::open(dir, lengths)?),
            None => None,
        };
        let identities = Writer::open(dir.join("identities"), games * 8)?;
        let mut seen = HashSet::with_capacity(manifest.games as usize);
        read_rows(&identities.path, games * 8, |id| {
            seen.insert(u64::from_le_bytes(*id));
        })?;
        let info_file = Writer::open(dir.join("infos"), games * 4)?;
        let mut infos = Vec::with_capacity(manifest.games as usize);
        read_rows(&info_file.path, games * 4, |info| {
            infos.push(GameInfo::from_bits(u32::from_le_bytes(*info)));
        })?;
        Ok(State {
            identities,
            header_ends: Writer::open(dir.join("header-ends"), games * 8)?,
            headers: Writer::open(dir.join("headers"), manifest.header_bytes)?,
            dir: dir.to_owned(),
            manifest,
            seen,
            infos,
            info_file,
            departures,
            tallies,
            texts,
            scratch: Vec::new(),
            numbers: Vec::new(),
        })
    }

    pub fn rules(&self) -> &Rules {
        &self.manifest.rules
    }

    pub fn sources(&self) -> &[CountedSource] {
        &self.manifest.sources
    }

    /// Whether this file's games are in the sums, be they counted here or elsewhere.
    pub fn knows(&self, fingerprint: &str) -> bool {
        let mut all = self.manifest.sources.iter().chain(&self.manifest.merged);
        all.any(|known| known.fingerprint.as_deref() == Some(fingerprint))
    }

    /// Games in the sums.
    pub fn games(&self) -> u64 {
        u64::from(self.manifest.games) + self.manifest.tallied_games
    }

    /// Whether it was created to keep the texts of positions.
    pub fn keeps_texts(&self) -> bool {
        self.texts.is_some()
    }

    /// Whether a directory was made to hold counts, whatever has become of them.
    pub fn is_at(dir: &Path) -> bool {
        dir.join(STARTED).exists()
    }

    /// Refuses to tell games apart by what the sums that were counted elsewhere do not say.
    pub fn check_facets(&self, asked: FacetKinds) -> Result<(), CountError> {
        let Some(known) = &self.manifest.tallied_facets else {
            return Ok(());
        };
        // What this crate wrote can be read; anything else tells nothing apart.
        let kinds: FacetKinds = known.parse().unwrap_or_default();
        if asked.within(kinds) {
            return Ok(());
        }
        Err(CountError::NoFacets {
            path: self.dir.clone(),
            asked: asked.to_string(),
            known: known.clone(),
        })
    }

    /// Refuses to add up what was not counted alike.
    pub fn check_rules(&self, asked: &Rules) -> Result<(), CountError> {
        if self.manifest.rules == *asked {
            return Ok(());
        }
        Err(CountError::OtherRules {
            path: self.dir.clone(),
            was: self.manifest.rules.to_string(),
            asked: asked.to_string(),
        })
    }

    /// Adds a block's games but those that were counted before. They last from the next [`commit`](State::commit) on.
    pub fn add(&mut self, block: &Block) -> Result<Added, CountError> {
        let mut added = Added::default();
        if let (Some(files), Some(texts)) = (&mut self.texts, &block.texts) {
            for (key, text) in texts.iter() {
                files.write(key, text, &mut self.scratch)?;
            }
        }
        let mut header = 0;
        self.numbers.clear();
        for game in &block.games {
            let header_text = &block.headers[header..game.header_end as usize];
            header = game.header_end as usize;
            if !self.seen.insert(game.identity) {
                added.duplicates += 1;
                self.numbers.push(None);
                continue;
            }
            let number = self.manifest.games;
            self.manifest.games = number.checked_add(1).ok_or(CountError::TooManyGames)?;
            added.counted += 1;
            self.numbers.push(Some(number));
            self.infos.push(game.info);
            self.info_file.write(&game.info.bits().to_le_bytes())?;
            self.identities.write(&game.identity.to_le_bytes())?;
            self.headers.write(header_text)?;
            let end = self.headers.len;
            self.header_ends.write(&end.to_le_bytes())?;
        }
        for (number, departures) in block.partitions().enumerate() {
            let rows = departures.iter().filter_map(|left| {
                let departure = Departure {
                    key: left.key,
                    by: left.by,
                    game: self.numbers[left.game as usize]?,
                };
                Some(departure.bytes())
            });
            self.departures.write(number % PARTITIONS, rows)?;
        }
        Ok(added)
    }

    /// Adds the sum of departures that were counted elsewhere; `by` is [`PackedMove::NONE`] for games that were not
    /// followed further. Their games are told by [`add_counted_elsewhere`](State::add_counted_elsewhere), and so is what
    /// their facets tell apart.
    pub fn add_sum(&mut self, key: u64, by: PackedMove, facet: Facet, stats: Stats) -> Result<(), CountError> {
        let part = Departure::partition(key);
        self.scratch.clear();
        Tallied { key, by, facet, stats }.write(&mut self.scratch);
        let writer = match &mut self.tallies[part] {
            Some(writer) => writer,
            none => none.insert(Writer::open(tallies_file(&self.dir, part), 0)?),
        };
        writer.write(&self.scratch)
    }

    /// The games behind sums that were added, and by what these tell them apart.
    pub fn add_counted_elsewhere(&mut self, games: u64, facets: FacetKinds) {
        self.manifest.tallied_games += games;
        let before = self.manifest.tallied_facets.as_ref();
        let both = before.map_or(facets, |before| facets.common(before.parse().unwrap_or_default()));
        self.manifest.tallied_facets = Some(both.to_string());
    }

    /// Makes everything so far last, and remembers where it came from.
    pub fn commit(&mut self, source: CountedSource) -> Result<(), CountError> {
        self.commit_merged(source, Vec::new())
    }

    /// The same for sums that were counted elsewhere: `of` are the files of games behind them, as far as known.
    pub fn commit_merged(&mut self, source: CountedSource, of: Vec<CountedSource>) -> Result<(), CountError> {
        self.flush()?;
        self.manifest.sources.push(source);
        self.manifest.merged.extend(of);
        self.manifest.write(&self.dir)
    }

    /// Forgets what was added since the last commit.
    pub fn roll_back(&mut self) -> Result<(), CountError> {
        let manifest = Manifest::read(&self.dir)?.ok_or_else(|| CountError::Damaged { path: self.dir.clone() })?;
        *self = State::with(&self.dir, manifest)?;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), CountError> {
        let Spilled { pieces, lengths } = self.departures.flush()?;
        self.manifest.pieces = pieces;
        self.manifest.departures = lengths;
        for (part, writer) in self.tallies.iter_mut().enumerate() {
            if let Some(writer) = writer {
                self.manifest.tallies[part] = writer.flush()?;
            }
        }
        self.identities.flush()?;
        self.info_file.flush()?;
        self.header_ends.flush()?;
        self.manifest.header_bytes = self.headers.flush()?;
        if let Some(texts) = &mut self.texts {
            self.manifest.texts = Some(texts.flush()?);
        }
        Ok(())
    }

    /// The identities of some games, in the order asked for. Fastest in the order of games.
    pub fn identities(&self, games: &[u32]) -> Result<Vec<u64>, CountError> {
        // A state that was merged from sums alone has no such file.
        if games.is_empty() {
            return Ok(Vec::new());
        }
        let mut identities = self.rows("identities")?;
        games.iter().map(|game| identities.u64_at(u64::from(*game))).collect()
    }

    fn rows(&self, name: &str) -> Result<Rows, CountError> {
        let path = self.dir.join(name);
        let file = File::open(&path).map_err(CountError::io("open", &path))?;
        Ok(Rows::new(file, path))
    }

    /// The headers of some games, in the order asked for, each with its game's identity. Fastest in the order of games: of
    /// those that lie near each other many are read at once.
    pub fn headers(&self, games: &[u32]) -> Result<Vec<(u64, GameHeader)>, CountError> {
        if games.is_empty() {
            return Ok(Vec::new());
        }
        let [mut identities, mut ends, mut headers] = [
            self.rows("identities")?,
            self.rows("header-ends")?,
            self.rows("headers")?,
        ];
        let mut found = Vec::with_capacity(games.len());
        let mut bytes = Vec::new();
        for game in games {
            let identity = identities.u64_at(u64::from(*game))?;
            let start = match game.checked_sub(1) {
                Some(before) => ends.u64_at(u64::from(before))?,
                None => 0,
            };
            let end = ends.u64_at(u64::from(*game))?;
            let length = end.checked_sub(start).filter(|length| *length <= GameHeader::LONGEST);
            let length = length.ok_or_else(|| ends.damaged())?;
            bytes.resize(length as usize, 0);
            headers.read_at(start, &mut bytes)?;
            let header = GameHeader::read(&bytes).ok_or_else(|| headers.damaged())?;
            found.push((identity, header));
        }
        Ok(found)
    }

    /// The departures of one partition, to be gone through more than once.
    pub(crate) fn departures(&self, part: usize) -> Result<Departures<'_>, CountError> {
        self.departures.departures(part)
    }

    /// By the numbers of games.
    pub(crate) fn infos(&self) -> &[GameInfo] {
        &self.infos
    }

    pub(crate) fn departures_in(&self, part: usize) -> u64 {
        self.manifest.departures[part] / DEPARTURE_BYTES as u64
    }

    pub(crate) fn tallies_in(&self, part: usize) -> u64 {
        self.manifest.tallies[part] / TALLY_BYTES as u64
    }

    pub(crate) fn no_text(&self, key: u64) -> CountError {
        CountError::NoText {
            path: self.dir.clone(),
            key,
        }
    }

    /// Reads the texts of those keys of a partition that `wanted` holds.
    pub(crate) fn read_texts(&self, part: usize, wanted: impl Fn(u64) -> bool) -> Result<TextsByKey, CountError> {
        let mut texts = TextsByKey::default();
        let path = texts_file(&self.dir, part);
        let mut left = self.manifest.texts.as_ref().map_or(0, |lengths| lengths[part]);
        if left == 0 {
            return Ok(texts);
        }
        let damaged = |path: &Path| CountError::Damaged { path: path.to_owned() };
        let file = File::open(&path).map_err(CountError::io("open", &path))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut text = [0; u8::MAX as usize];
        while left > 0 {
            let mut head = [0; ROW_HEAD];
            let mut fill = |bytes: &mut [u8]| match file.read_exact(bytes) {
                Err(short) if short.kind() == io::ErrorKind::UnexpectedEof => Err(damaged(&path)),
                read => read.map_err(CountError::io("read", &path)),
            };
            fill(&mut head)?;
            let [key @ .., len] = head;
            let text = &mut text[..usize::from(len)];
            fill(text)?;
            left = left
                .checked_sub((ROW_HEAD + text.len()) as u64)
                .ok_or_else(|| damaged(&path))?;
            let key = u64::from_le_bytes(key);
            if wanted(key) {
                texts.insert(key, str::from_utf8(text).map_err(|_| damaged(&path))?)?;
            }
        }
        Ok(texts)
    }

    pub(crate) fn read_tallies(&self, part: usize, mut each: impl FnMut(Tallied)) -> Result<(), CountError> {
        read_rows::<TALLY_BYTES>(&tallies_file(&self.dir, part), self.manifest.tallies[part], |bytes| {
            each(Tallied::read(bytes));
        })
    }
}

/// Marks a directory as ours, before its manifest is there and until all else is gone.
const STARTED: &str = "tabiya-counts";

fn tallies_file(dir: &Path, part: usize) -> PathBuf {
    dir.join(format!("tallies-{part:02x}"))
}

fn texts_file(dir: &Path, part: usize) -> PathBuf {
    dir.join(format!("texts-{part:02x}"))
}

/// Where texts go.
#[derive(Debug)]
struct TextFiles {
    files: Vec<Writer>,
    lately: Lately,
}

impl TextFiles {
    fn open(dir: &Path, lengths: &[u64]) -> Result<TextFiles, CountError> {
        let open = |(part, len): (usize, &u64)| Writer::open(texts_file(dir, part), *len);
        Ok(TextFiles {
            files: lengths.iter().enumerate().map(open).collect::<Result<_, _>>()?,
            lately: Lately::new(),
        })
    }

    fn write(&mut self, key: u64, text: &str, scratch: &mut Vec<u8>) -> Result<(), CountError> {
        if self.lately.has(key, text) {
            return Ok(());
        }
        scratch.clear();
        write_row(key, text, scratch);
        self.files[Departure::partition(key)].write(scratch)
    }

    fn flush(&mut self) -> Result<Vec<u64>, CountError> {
        self.files.iter_mut().map(Writer::flush).collect()
    }
}

fn is_empty(dir: &Path) -> Result<bool, CountError> {
    let mut entries = fs::read_dir(dir).map_err(CountError::io("read", dir))?;
    Ok(entries.next().is_none())
}

/// Empties a directory of ours, the manifest first: whoever is killed on the way leaves what is marked as ours and says nothing
/// about what it holds.
fn clear(dir: &Path) -> io::Result<()> {
    Manifest::remove(dir)?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name() == STARTED {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

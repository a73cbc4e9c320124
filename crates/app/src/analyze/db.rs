//! `db.json`: everything that a page about these games shows. The schema is in `docs/analyze.md`.

mod players;

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use tabiya_chess::{Opening, PackedSan};

use super::{
    Analysis,
    abreast::in_order,
    json::Json,
    novelties::Novelties,
    replay,
    sums::{Results, Sums},
    trie::ROOT,
    values::{Marks, write_path, write_results, write_san},
};

/// The version of the schema. Fields may be added without a new one.
const VERSION: u64 = 1;

/// What is up to whoever writes.
#[derive(Debug, Clone)]
pub struct DbOptions {
    /// A time, as text: the only thing in the file that the games do not decide.
    pub analyzed_at: String,
    /// From how many games on a sequence is common.
    pub min_games: u32,
    /// How many players' repertoires are listed, those with the most games first.
    pub repertoires: usize,
}

impl Analysis {
    /// Writes `db.json`. Where `stop` is set meanwhile it ends with an error.
    pub fn write_db(&self, options: &DbOptions, stop: &AtomicBool, out: &mut impl Write) -> io::Result<()> {
        let mut db = Db {
            analysis: self,
            options,
            sums: Sums::of(self),
            json: Json::default(),
            stop,
        };
        db.json.begin_object();
        db.meta();
        db.games(out)?;
        db.novelties(out)?;
        db.branches(out)?;
        db.common_sequences(out)?;
        db.popular_lines();
        db.players(out)?;
        db.openings();
        db.near_duplicates(out)?;
        db.left_out(out)?;
        db.json.end_object();
        db.json.end_line();
        db.flush(out, 0)?;
        out.flush()
    }
}

struct Db<'a> {
    analysis: &'a Analysis,
    options: &'a DbOptions,
    sums: Sums,
    json: Json,
    stop: &'a AtomicBool,
}

/// So much is gathered before it is written.
const BUFFER: usize = 1 << 16;

/// So much is written by one thread before another goes on: in numbers, moves and the like.
const CHUNK: u64 = 1 << 14;

impl<'a> Db<'a> {
    /// Writes what has been gathered, if it is more than `least` bytes.
    fn flush(&mut self, out: &mut impl Write, least: usize) -> io::Result<()> {
        let buffer = self.json.buffer();
        if buffer.len() > least {
            out.write_all(buffer)?;
            buffer.clear();
            self.go_on()?;
        }
        Ok(())
    }

    fn go_on(&self) -> io::Result<()> {
        match self.stop.load(Relaxed) {
            // The kind `Interrupted` would mean to try again, and somebody in between might.
            true => Err(io::Error::other("interrupted")),
            false => Ok(()),
        }
    }

    /// A key and an array of what `each` writes about things, a line for each. Threads share the work; `things` come with how
    /// much there is to say of each.
    fn list<S: Default>(
        &mut self,
        key: &str,
        out: &mut impl Write,
        things: impl Iterator<Item = (u32, u64)>,
        each: impl Fn(&Db<'a>, &mut Json, &mut S, u32) + Sync,
    ) -> io::Result<()> {
        let mut chunks: Vec<Vec<u32>> = Vec::new();
        let mut room = 0;
        for (thing, weight) in things {
            if room == 0 {
                chunks.push(Vec::new());
                room = CHUNK;
            }
            room = room.saturating_sub(weight.max(1));
            if let Some(chunk) = chunks.last_mut() {
                chunk.push(thing);
            }
        }
        self.json.new_line();
        self.json.key(key);
        self.json.begin_array();
        self.flush(out, 0)?;
        let this = &*self;
        let make = |number: usize, text: &mut Vec<u8>| {
            let mut json = Json::appending(std::mem::take(text), number > 0);
            let mut scratch = S::default();
            for thing in &chunks[number] {
                json.new_line();
                each(this, &mut json, &mut scratch, *thing);
            }
            *text = std::mem::take(json.buffer());
        };
        in_order(this.analysis.threads, chunks.len(), make, |text| {
            out.write_all(text)?;
            this.go_on()
        })?;
        self.json.end_array();
        Ok(())
    }

    fn meta(&mut self) {
        let Db {
            analysis,
            options,
            json,
            ..
        } = self;
        let games = &analysis.games;
        json.new_line();
        json.key("meta");
        json.begin_object();
        json.key("players");
        let players = match games.len() {
            0 => ["", ""],
            _ => [games.name(games.white(0)), games.name(games.black(0))],
        };
        json.value(&players);
        json.key("analyzedAt");
        json.string(&options.analyzed_at);
        json.key("totalGames");
        json.number(u64::from(games.len()));
        json.key("version");
        json.number(VERSION);
        json.key("minGames");
        json.number(u64::from(options.min_games));
        json.key("leftOut");
        json.number(analysis.left_out.len() as u64);
        json.key("results");
        let all = self.sums.all(analysis);
        self.json.begin_object();
        write_results(&mut self.json, all);
        self.json.end_object();
        if let Some(corpus) = &analysis.corpus {
            self.json.key("knowledgeBase");
            self.json.string(corpus.name());
        }
        self.json.end_object();
    }

    fn games(&mut self, out: &mut impl Write) -> io::Result<()> {
        let analysis = self.analysis;
        // Before the threads ask all at once.
        analysis.shared();
        let things = (0..analysis.games.len()).map(|id| (id, analysis.games.moves(id).len() as u64));
        self.list("games", out, things, Db::game)
    }

    fn game(&self, json: &mut Json, sans: &mut Vec<PackedSan>, id: u32) {
        let analysis = self.analysis;
        let (games, trie) = (&analysis.games, &analysis.trie);
        let opening = games.opening(id);
        json.begin_object();
        json.key("id");
        json.number(u64::from(id));
        for (key, text) in [
            ("white", games.name(games.white(id))),
            ("black", games.name(games.black(id))),
            ("result", games.result(id)),
            ("date", games.date(id)),
            ("url", games.url(id)),
            ("event", games.event(id)),
            ("site", games.site(id)),
            ("round", games.round(id)),
        ] {
            json.key(key);
            json.string(text);
        }
        json.key("eco");
        json.string(&opening.map(|opening| opening.eco().to_string()).unwrap_or_default());
        json.key("opening");
        json.string(opening.map_or("", Opening::name));

        let new_positions = analysis.position_novelty_plies(id);
        let new_to_corpus = analysis
            .corpus
            .as_ref()
            .map(|corpus| corpus.novelty_plies(games.moves(id)));
        sans.clear();
        replay::sans(games.moves(id), sans);
        let way = trie.way(trie.leaf(id));
        json.key("moves");
        json.begin_array();
        let mut novelty = None;
        for (ply, san) in (1_u32..).zip(sans.iter()) {
            let node = way.get(ply as usize).copied();
            let marks = Marks {
                games: node.map_or(1, |at| trie.node(at).games),
                is_novelty: node.is_some_and(|at| trie.is_novelty(at)),
                is_branch: node.is_some_and(|at| trie.node(trie.node(at).parent).is_branch()),
                is_new_position: new_positions.contains(&ply),
                is_new_to_corpus: new_to_corpus.as_ref().map(|plies| plies.contains(&ply)),
            };
            if marks.is_novelty {
                novelty = Some(ply);
            }
            json.raw(|text| marks.write(*san, ply, text));
        }
        json.end_array();
        json.key("noveltyPlies");
        json.numbers(novelty);
        json.key("positionNoveltyPlies");
        json.numbers(new_positions);
        if let Some(plies) = new_to_corpus {
            json.key("corpusNoveltyPlies");
            json.numbers(plies);
        }
        json.end_object();
    }

    fn path(&self, json: &mut Json, at: u32, path: &mut Vec<PackedSan>) {
        self.analysis.sans().path(&self.analysis.trie, at, path);
        write_path(json, path);
    }

    fn novelties(&mut self, out: &mut impl Write) -> io::Result<()> {
        let analysis = self.analysis;
        analysis.sans();
        let trie = &analysis.trie;
        let weight = |at: u32| u64::from(trie.node(trie.node(at).parent).games) + u64::from(trie.node(at).ply);
        let things = analysis.novelty_nodes().map(|at| (at, weight(at)));
        self.list("novelties", out, things, Db::novelty)
    }

    fn novelty(&self, json: &mut Json, scratch: &mut Novelties, at: u32) {
        let (games, trie, sans) = (&self.analysis.games, &self.analysis.trie, self.analysis.sans());
        let node = trie.node(at);
        json.begin_object();
        json.key("path");
        self.path(json, at, &mut scratch.path);
        json.key("ply");
        json.number(u64::from(node.ply));
        json.key("san");
        write_san(json, sans.get(at));
        json.key("playedBy");
        json.string(games.name(games.mover(node.first, node.ply)));
        json.key("gameId");
        json.number(u64::from(node.first));
        json.key("sharedUntilPly");
        json.number(u64::from(node.ply - 1));
        json.key("gamesAtParent");
        json.number(u64::from(trie.node(node.parent).games));
        json.key("parentGameIds");
        json.raw(|text| text.extend_from_slice(scratch.games_at(trie, node.parent)));
        json.key("alternativesAtParent");
        json.begin_array();
        for other in trie.children(node.parent).filter(|other| *other != at) {
            write_san(json, sans.get(other));
        }
        json.end_array();
        json.end_object();
    }

    fn branches(&mut self, out: &mut impl Write) -> io::Result<()> {
        let trie = &self.analysis.trie;
        let things = (0..).zip(trie.nodes()).filter(|(_, node)| node.is_branch());
        let things = things.map(|(at, node)| (at, 2 + u64::from(node.ply) + trie.children(at).len() as u64));
        self.list("branches", out, things, Db::branch)
    }

    fn branch(&self, json: &mut Json, path: &mut Vec<PackedSan>, at: u32) {
        let (analysis, trie) = (self.analysis, &self.analysis.trie);
        let node = trie.node(at);
        json.begin_object();
        json.key("path");
        self.path(json, at, path);
        json.key("ply");
        json.number(u64::from(node.ply));
        json.key("gameCount");
        json.number(u64::from(node.games));
        json.key("continuations");
        json.begin_array();
        for child in trie.children(at) {
            let node = trie.node(child);
            json.begin_object();
            json.key("san");
            write_san(json, analysis.sans().get(child));
            json.key("gameCount");
            json.number(u64::from(node.games));
            write_results(json, self.sums.results(analysis, child));
            json.key("firstGameId");
            json.number(u64::from(node.first));
            json.key("firstDate");
            json.string(&self.sums.first_date(child));
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }

    fn common_sequences(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (trie, min_games) = (&self.analysis.trie, self.options.min_games);
        let things = (0..).zip(trie.nodes());
        let things = things.filter(|(at, node)| *at != ROOT && node.games >= min_games);
        let things = things.map(|(at, node)| (at, 4 + u64::from(node.ply)));
        self.list("commonSequences", out, things, Db::common_sequence)
    }

    fn common_sequence(&self, json: &mut Json, path: &mut Vec<PackedSan>, at: u32) {
        json.begin_object();
        json.key("path");
        self.path(json, at, path);
        json.key("gameCount");
        json.number(u64::from(self.analysis.trie.node(at).games));
        write_results(json, self.sums.results(self.analysis, at));
        json.key("firstDate");
        json.string(&self.sums.first_date(at));
        json.end_object();
    }

    fn popular_lines(&mut self) {
        let lines = self.analysis.popular_lines(self.options.min_games);
        let json = &mut self.json;
        json.new_line();
        json.key("popularLines");
        json.begin_array();
        for line in lines {
            json.new_line();
            json.begin_object();
            json.key("path");
            json.begin_array();
            line.moves.iter().for_each(|(san, _)| json.string(san));
            json.end_array();
            json.key("gameCounts");
            json.numbers(line.moves.iter().map(|(_, games)| *games));
            json.key("gameCount");
            json.number(u64::from(line.games));
            let (white, draws, black) = (line.white, line.draws, line.black);
            write_results(json, Results { white, draws, black });
            json.key("eco");
            json.string(&line.eco);
            json.key("opening");
            json.string(&line.opening);
            json.key("firstDate");
            json.string(&line.first_date);
            json.end_object();
        }
        json.end_array();
    }

    fn openings(&mut self) {
        let openings = self.analysis.openings();
        let json = &mut self.json;
        json.new_line();
        json.key("openings");
        json.begin_array();
        for opening in openings {
            json.new_line();
            json.begin_object();
            json.key("eco");
            json.string(&opening.eco);
            json.key("name");
            json.string(&opening.name);
            json.key("gameCount");
            json.number(u64::from(opening.games));
            let (white, draws, black) = (opening.white, opening.draws, opening.black);
            write_results(json, Results { white, draws, black });
            json.key("firstDate");
            json.string(&opening.first_date);
            json.end_object();
        }
        json.end_array();
    }

    fn near_duplicates(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.json.new_line();
        self.json.key("nearDuplicates");
        self.json.begin_array();
        for twin in self.analysis.near_duplicates() {
            self.json.new_line();
            self.json.value(&twin);
            self.flush(out, BUFFER)?;
        }
        self.json.end_array();
        Ok(())
    }

    fn left_out(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.json.new_line();
        self.json.key("leftOut");
        self.json.begin_array();
        for left_out in &self.analysis.left_out {
            self.json.new_line();
            self.json.value(left_out);
            self.flush(out, BUFFER)?;
        }
        self.json.end_array();
        self.json.end_line();
        Ok(())
    }
}

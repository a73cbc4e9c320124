//! Who played, and what.

use std::io::{self, Write};

use shakmaty::Color;

use super::{BUFFER, Db};
use crate::analyze::{
    PlayerSummary, replay,
    values::{write_path, write_san, write_score},
};

impl Db<'_> {
    pub(super) fn players(&mut self, out: &mut impl Write) -> io::Result<()> {
        let players = self.analysis.players();
        let games = self.analysis.games_of_players();
        self.json.new_line();
        self.json.key("players");
        self.json.begin_array();
        for (number, player) in players.iter().enumerate() {
            let json = &mut self.json;
            json.new_line();
            json.begin_object();
            json.key("name");
            json.string(&player.name);
            json.key("games");
            json.number(u64::from(player.games()));
            for (key, score) in [("asWhite", player.white), ("asBlack", player.black)] {
                json.key(key);
                json.begin_object();
                write_score(json, score);
                json.end_object();
            }
            if number < self.options.repertoires {
                self.repertoire(player, &games[player.id as usize], out)?;
            }
            self.json.end_object();
            self.flush(out, BUFFER)?;
        }
        self.json.end_array();
        Ok(())
    }

    fn repertoire(&mut self, player: &PlayerSummary, games: &[u32], out: &mut impl Write) -> io::Result<()> {
        let analysis = self.analysis;
        let mut path = Vec::new();
        self.json.key("repertoire");
        self.json.begin_array();
        for (color, side) in [(Color::White, "white"), (Color::Black, "black")] {
            for habit in analysis.repertoire(player.id, games, color, self.options.min_games) {
                let json = &mut self.json;
                json.begin_object();
                json.key("side");
                json.string(side);
                json.key("path");
                path.clear();
                replay::sans(habit.path(analysis), &mut path);
                write_path(json, &path);
                let (fen, moves) = habit.shown(analysis);
                json.key("fen");
                json.string(&fen);
                write_score(json, habit.score);
                json.key("moves");
                json.begin_array();
                for (san, score) in moves {
                    json.begin_object();
                    json.key("san");
                    write_san(json, Some(san));
                    write_score(json, score);
                    json.end_object();
                }
                json.end_array();
                json.end_object();
                // One player may have all the games.
                self.flush(out, BUFFER)?;
            }
        }
        self.json.end_array();
        Ok(())
    }
}

//! Several processes import different files into one database at the same time.

use crate::{
    corpus::games,
    sandbox::{Content, Sandbox, TABIYA},
    stores::Kind,
};

const SHARDS: u64 = 4;

fn shards_end_as_one(kind: Kind) {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..SHARDS).map(|shard| format!("shard{shard}.pgn")).collect();
    for (shard, name) in (0..SHARDS).zip(&names) {
        sandbox.write(name, games(100 + shard / 2, 80 + 20 * shard as usize));
    }
    let options = |database: &str| {
        ["import", "--repertoire", "R", "--batch-bytes", "8192", "--db", database]
            .map(str::to_owned)
            .to_vec()
    };
    let as_one = kind.new_database(&sandbox, "one");
    let args: Vec<String> = [options(&as_one), names.clone()].concat();
    sandbox
        .tabiya(&args.iter().map(String::as_str).collect::<Vec<_>>())
        .exits_with(0);

    let at_once = kind.new_database(&sandbox, "many");
    std::thread::scope(|scope| {
        for name in &names {
            let args = [options(&at_once), vec![name.clone()]].concat();
            let sandbox = &sandbox;
            scope.spawn(move || {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                sandbox.run(sandbox.command(TABIYA, &args)).exits_with(0);
            });
        }
    });
    Content::of(&at_once).equals(&Content::of(&as_one));
}

#[test]
fn shards_on_sqlite_end_as_one() {
    shards_end_as_one(Kind::Sqlite);
}

#[test]
fn shards_on_postgres_end_as_one() {
    shards_end_as_one(Kind::Postgres);
}

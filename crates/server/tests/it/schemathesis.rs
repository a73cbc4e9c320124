//! Somebody who has only read `openapi.json` asks everything that comes to his mind.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use tabiya_server::{ApiKey, ServeOptions};

use crate::kitchen::{Kind, Kitchen};
use crate::socket::run;

fn program() -> PathBuf {
    let home = PathBuf::from(env::var_os("HOME").expect("a home"));
    let python =
        env::var_os("TABIYA_PYTHON").map_or_else(|| home.join(".cache/tabiya/venv/bin/python3"), PathBuf::from);
    python.with_file_name("schemathesis")
}

/// No 5xx, and nothing that is not described. What a description cannot know, such as which moves are legal, is not asked of it.
#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_finds_nothing() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::new(kind).await;
        let options = ServeOptions {
            api_key: ApiKey::new("sesame"),
            ..ServeOptions::default()
        };
        let running = run(kitchen.cold_server(options).await).await;
        let mut command = Command::new(program());
        command
            .arg("run")
            .arg(format!("http://{}/openapi.json", running.address))
            .args(["--exclude-checks", "positive_data_acceptance"])
            .args(["--max-examples", "20", "--seed", "64", "--no-color"])
            .env("HYPOTHESIS_STORAGE_DIRECTORY", kitchen.directory.path())
            .current_dir(kitchen.directory.path());
        let ran = tokio::task::spawn_blocking(move || command.output())
            .await
            .expect("a thread");
        let ran =
            ran.unwrap_or_else(|error| panic!("{}: {error}\nit comes with `scripts/setup test`", program().display()));
        let told = String::from_utf8_lossy(&ran.stdout);
        assert!(
            ran.status.success(),
            "{kind:?}:\n{told}\n{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        assert!(told.contains("Selected: 28/28"), "{told}");
        running.stop().await;
    }
}

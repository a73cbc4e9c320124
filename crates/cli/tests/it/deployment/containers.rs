//! Containers: the image, and the services that are composed of it.

use std::process::Command;

use serde_json::Value;

use super::{assert_understood, python, root, text};
use crate::{sandbox::Sandbox, serve::Serving};

fn compose() -> Value {
    let program = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let read = python().args(["-c", program]).arg(root().join("compose.yaml")).output();
    let read = read.expect("python runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).expect("JSON")
}

#[test]
fn compose_has_all_parts_and_commands_that_are_understood() {
    let compose = compose();
    let services = compose["services"].as_object().expect("services");
    for name in ["tabiya", "worker", "postgres", "redis", "neo4j"] {
        assert!(services.contains_key(name), "{name}");
    }
    assert!(services["worker"]["deploy"]["replicas"].as_u64() > Some(1));
    let sandbox = Sandbox::new();
    for (name, service) in services {
        for port in service["ports"].as_array().into_iter().flatten() {
            assert!(
                port.as_str().is_some_and(|port| port.starts_with("127.0.0.1:")),
                "{name}: {port}"
            );
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let volume = volume
                .as_str()
                .and_then(|volume| volume.split(':').next())
                .expect("a volume");
            assert!(compose["volumes"].get(volume).is_some(), "{name}: {volume}");
        }
        if service["image"] != "tabiya" {
            continue;
        }
        let url = service["environment"]["TABIYA_DB"].as_str().expect("a database");
        assert!(url.contains("${POSTGRES_PASSWORD:?"), "no password of ours: {url}");
        let words = service["command"].as_array().expect("a list");
        let words: Vec<&str> = words.iter().map(|word| word.as_str().expect("text")).collect();
        assert_understood(&sandbox, &words);
    }
    // What its first lines say to type.
    let typed = text("compose.yaml");
    let lines = typed
        .lines()
        .filter_map(|line| line.strip_prefix("#   docker compose run --rm "));
    let mut seen = 0;
    for line in lines {
        let words: Vec<&str> = line
            .split_whitespace()
            .skip_while(|word| *word != "tabiya")
            .skip(1)
            .collect();
        sandbox.write("games/a.pgn", "1. e4 e5 1-0\n");
        let words: Vec<&str> = words
            .iter()
            .map(|word| if *word == "/games" { "games" } else { word })
            .collect();
        assert_understood(&sandbox, &words);
        seen += 1;
    }
    assert!(seen > 1);
}

#[test]
fn compose_takes_it_with_a_password_and_not_without() {
    let sandbox = Sandbox::new();
    sandbox.write("compose.yaml", text("compose.yaml"));
    let read = |password: &str| {
        let mut command = Command::new("docker-compose");
        command
            .args(["--profile", "graph", "config"])
            .current_dir(sandbox.directory());
        match password {
            "" => command.env_remove("POSTGRES_PASSWORD"),
            _ => command.env("POSTGRES_PASSWORD", password),
        };
        let read = command
            .output()
            .expect("docker-compose, which `scripts/setup test` installs");
        let [said, errors] = [read.stdout, read.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (read.status.success(), said, errors)
    };
    let (is_taken, said, errors) = read("right-password");
    assert!(is_taken, "{errors}");
    assert!(
        said.contains("postgres://tabiya:right-password@postgres/tabiya"),
        "{said}"
    );
    let (is_taken, _, errors) = read("");
    assert!(!is_taken && errors.contains("write it into .env"), "{errors}");
}

/// Whoever waits for a service waits until it answers.
#[test]
fn every_service_that_is_waited_for_says_whether_it_is_well() {
    let compose = compose();
    let services = compose["services"].as_object().expect("services");
    for (name, service) in services {
        let check = &service["healthcheck"];
        match name.as_str() {
            // It listens nowhere.
            "worker" => assert_eq!(check["disable"], true),
            _ => assert!(
                check["test"].as_array().is_some_and(|words| words.len() > 1),
                "{name}: {check}"
            ),
        }
    }
    // While the image makes its database, a server listens on the socket alone.
    let postgres = &services["postgres"]["healthcheck"]["test"];
    assert_eq!(
        postgres,
        &serde_json::json!(["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "tabiya"])
    );
    let typed = text("compose.yaml");
    let up = typed
        .lines()
        .filter(|line| line.starts_with("#   docker compose") && line.contains(" up -d"));
    assert!(
        up.clone().count() > 2 && up.clone().all(|line| line.contains(" --wait")),
        "{typed}"
    );
}

/// As the image asks, and as compose does, with a server that is there and one that is gone.
#[test]
fn a_server_is_asked_whether_it_is_well_without_any_other_program() {
    let compose = compose();
    let words = &compose["services"]["tabiya"]["healthcheck"]["test"];
    // Compose takes one dollar for a variable of its own.
    let words: Vec<String> = (words.as_array().expect("a list").iter())
        .map(|word| word.as_str().expect("text").replace("$$", "$"))
        .collect();
    assert_eq!(&words[..3], ["CMD", "bash", "-c"]);
    let dockerfile = text("Dockerfile");
    let line = dockerfile.lines().find(|line| line.starts_with("HEALTHCHECK "));
    let (_, own) = line.and_then(|line| line.split_once(" CMD ")).expect("a check");
    let own: Vec<String> = serde_json::from_str(own).expect("a list");
    assert_eq!(own, words[1..]);

    let sandbox = Sandbox::with("games.pgn", "1. e4 e5 1-0\n");
    sandbox
        .tabiya(&["import", "games.pgn", "--db", "a.db", "-q"])
        .exits_with(0);
    let serving = Serving::start(&sandbox, &[]);
    let port = serving.address.rsplit(':').next().expect("a port").to_owned();
    let is_well = || {
        let asked = own[2].replace("/8000 ", &format!("/{port} "));
        let ran = Command::new("bash").args(["-c", &asked]).output().expect("bash runs");
        ran.status.success()
    };
    assert!(is_well());
    assert_eq!(serving.interrupt(), 0);
    assert!(!is_well());
}

#[test]
fn the_container_is_made_of_what_is_there_and_is_not_root() {
    let dockerfile = text("Dockerfile");
    let stages = dockerfile.lines().filter(|line| line.starts_with("FROM ")).count();
    assert_eq!(stages, 3);
    for line in dockerfile
        .lines()
        .filter(|line| line.starts_with("COPY ") && !line.contains("--from="))
    {
        let mut words: Vec<&str> = line.split_whitespace().skip(1).collect();
        words.pop();
        for name in words {
            assert!(root().join(name).exists(), "{line}");
        }
    }
    assert!(
        dockerfile.contains("\nCOPY .cargo .cargo\n"),
        "what is built there is built as here"
    );
    let wanted = text("Cargo.toml");
    let version = wanted
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .expect("a version");
    assert!(
        dockerfile.contains(&format!("FROM rust:{}-", version.trim_matches('"'))),
        "{version}"
    );
    let last = dockerfile.rsplit("FROM ").next().expect("a stage");
    assert!(last.contains("\nUSER tabiya\n") && last.contains("stockfish"), "{last}");
    let command = last
        .lines()
        .find_map(|line| line.strip_prefix("CMD "))
        .expect("a command");
    let words: Vec<String> = serde_json::from_str(command).expect("a list");
    assert_understood(&Sandbox::new(), &words.iter().map(String::as_str).collect::<Vec<_>>());
}

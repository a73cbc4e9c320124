//! wrk, which asks as fast as it is answered.

use std::{fmt::Write as _, fs, net::SocketAddr, path::Path, process::Command};

use anyhow::{Context, Result, bail, ensure};

const CONNECTIONS: u32 = 50;
const THREADS: u32 = 2;

/// What wrk saw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) per_second: f64,
    /// In milliseconds.
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

pub(crate) fn installed() -> bool {
    Command::new("wrk").arg("-v").output().is_ok()
}

/// Asks for these addresses in turn, over and over; fails where one is not answered with 200.
pub(super) fn load(server: SocketAddr, uris: &[String], seconds: u32, dir: &Path) -> Result<Load> {
    ask(server, &lua(uris), CONNECTIONS, seconds, dir)
}

/// The same with a script of one's own.
pub(crate) fn ask(server: SocketAddr, lua: &str, connections: u32, seconds: u32, dir: &Path) -> Result<Load> {
    let script = dir.join("wrk.lua");
    fs::write(&script, lua)?;
    let ran = Command::new("wrk")
        .args([
            format!("-t{THREADS}").as_str(),
            &format!("-c{connections}"),
            &format!("-d{seconds}s"),
            "--latency",
            "-s",
        ])
        .arg(&script)
        .arg(format!("http://{server}"))
        .output()
        .context("wrk")?;
    let told = String::from_utf8_lossy(&ran.stdout);
    ensure!(ran.status.success(), "wrk: {}", String::from_utf8_lossy(&ran.stderr));
    if told.contains("Non-2xx") || told.contains("Socket errors") {
        bail!("not everything was answered:\n{told}");
    }
    let after = |label: &str| {
        let line = told.lines().find_map(|line| line.trim().strip_prefix(label));
        line.map(str::trim)
            .with_context(|| format!("wrk says nothing of {label}:\n{told}"))
    };
    Ok(Load {
        per_second: after("Requests/sec:")?.parse()?,
        median: milliseconds(after("50%")?)?,
        p99: milliseconds(after("99%")?)?,
    })
}

/// Each thread of wrk begins elsewhere in the list.
fn lua(uris: &[String]) -> String {
    let mut text = String::from("local uris = {\n");
    for uri in uris {
        let _ = writeln!(text, "  {uri:?},");
    }
    text.push_str(
        "}\nlocal at = 0\nlocal threads = 0\n\
         function setup(thread) thread:set('first', threads * 997); threads = threads + 1 end\n\
         function init(args) at = first end\n\
         function request() at = at + 1; return wrk.format('GET', uris[at % #uris + 1]) end\n",
    );
    text
}

/// `812.00us`, `1.70ms`, `1.02s`.
fn milliseconds(text: &str) -> Result<f64> {
    for (unit, factor) in [("us", 1e-3), ("ms", 1.0), ("s", 1e3)] {
        if let Some(number) = text.strip_suffix(unit)
            && let Ok(number) = number.parse::<f64>()
        {
            return Ok(number * factor);
        }
    }
    bail!("{text} is no time")
}

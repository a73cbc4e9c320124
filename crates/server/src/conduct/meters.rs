//! What the server counts of itself, as Prometheus text.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use axum::http::StatusCode;
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

/// Seconds up to which answers are told apart.
const BUCKETS: [f64; 10] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.2, 1.0];

/// After so many answers their times go into the buckets: until then each is kept for itself, and whoever is never asked for
/// /metrics would keep them all.
const SORTED: u32 = 4096;

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Handles are made once for each route: finding one by its labels takes longer than finding a position.
pub(crate) struct Meters {
    handle: PrometheusHandle,
    routes: HashMap<String, Meter>,
    unsorted: AtomicU32,
    pub(crate) nodes: Gauge,
    pub(crate) reloads: Counter,
}

struct Meter {
    answers: [Counter; 5],
    seconds: Histogram,
}

impl Meters {
    /// For these routes, and for whatever finds none.
    pub(crate) fn new(routes: &[&str]) -> Meters {
        let builder = PrometheusBuilder::new();
        let recorder = match builder.set_buckets_for_metric(Matcher::Suffix("seconds".to_owned()), &BUCKETS) {
            Ok(builder) => builder.build_recorder(),
            // There are buckets; without, histograms would be summaries and nothing else would change.
            Err(_) => PrometheusBuilder::new().build_recorder(),
        };
        describe(&recorder);
        let meters = routes.iter().chain(&["none"]);
        Meters {
            routes: meters
                .map(|route| ((*route).to_owned(), meter(&recorder, route)))
                .collect(),
            unsorted: AtomicU32::new(0),
            nodes: recorder.register_gauge(&Key::from_name("tabiya_nodes"), &METADATA),
            reloads: recorder.register_counter(&Key::from_name("tabiya_snapshots_total"), &METADATA),
            handle: recorder.handle(),
        }
    }

    pub(super) fn answered(&self, route: &str, status: StatusCode, took: Duration) {
        let Some(meter) = self.routes.get(route).or_else(|| self.routes.get("none")) else {
            return;
        };
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        meter.answers[class].increment(1);
        meter.seconds.record(took.as_secs_f64());
        if self.unsorted.fetch_add(1, Relaxed) == SORTED {
            self.unsorted.store(0, Relaxed);
            self.handle.run_upkeep();
        }
    }

    pub(crate) fn render(&self) -> String {
        self.handle.run_upkeep();
        self.handle.render()
    }
}

static METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

fn meter(recorder: &PrometheusRecorder, route: &str) -> Meter {
    let route = Label::new("route", route.to_owned());
    let answers = CLASSES.map(|class| {
        let labels = vec![route.clone(), Label::new("status", class)];
        recorder.register_counter(&Key::from_parts("tabiya_http_requests_total", labels), &METADATA)
    });
    let key = Key::from_parts("tabiya_http_seconds", vec![route]);
    Meter {
        answers,
        seconds: recorder.register_histogram(&key, &METADATA),
    }
}

fn describe(recorder: &PrometheusRecorder) {
    let text = |text: &'static str| SharedString::const_str(text);
    let name = KeyName::from_const_str;
    recorder.describe_counter(name("tabiya_http_requests_total"), None, text("Requests answered"));
    recorder.describe_histogram(
        name("tabiya_http_seconds"),
        Some(Unit::Seconds),
        text("Seconds from a request's head to its answer's"),
    );
    recorder.describe_gauge(name("tabiya_nodes"), None, text("Positions in memory"));
    recorder.describe_counter(name("tabiya_snapshots_total"), None, text("Times the data were loaded"));
}

impl std::fmt::Debug for Meters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meters").finish_non_exhaustive()
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/it/alone.rs"]
mod alone;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Megabytes of this process in memory.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        kilobytes.expect("a number") >> 10
    }

    /// Each of them was kept with the time it was made at, 24 bytes, until somebody asked for the numbers.
    #[test]
    fn counting_without_being_asked_takes_no_memory() {
        alone::alone(
            "conduct::meters::tests::counting_without_being_asked_takes_no_memory",
            count,
        );
    }

    fn count() {
        let meters = Meters::new(&["/somewhere"]);
        let before = resident();
        for _ in 0..2_000_000 {
            meters.answered("/somewhere", StatusCode::OK, Duration::from_millis(1));
        }
        let grown = resident().saturating_sub(before);
        assert!(grown < 16, "{grown} MB");
        let text = meters.render();
        let all = "tabiya_http_seconds_count{route=\"/somewhere\"} 2000000";
        assert!(text.contains(all), "{text}");
    }
}

//! The evaluation graph: White's expected points from move to move, as SVG and as PNG.

use std::{fmt::Write as _, io};

use tabiya_chess::{Class, expected_points};

use super::{
    canvas::Canvas,
    report::{ClassName, GameReview},
};

const WIDTH: f32 = 800.0;
const HEIGHT: f32 = 240.0;
/// Of the marks on the line.
const RADIUS: f32 = 4.0;

const NIGHT: &str = "#403d39";
const DAY: &str = "#f4f1ea";
const MIDDLE: &str = "#9a948a";
const LINE: &str = "#d6763c";

/// What is drawn, in pixels from the upper left corner.
struct Curve {
    points: Vec<(f32, f32)>,
    marks: Vec<Mark>,
}

struct Mark {
    x: f32,
    y: f32,
    class: Class,
    title: String,
}

/// The colour of a class, the same on paper and on screens; none where there is nothing to mark.
fn class_colour(class: Class) -> Option<&'static str> {
    match class {
        Class::Brilliant => Some("#1baca6"),
        Class::Critical => Some("#5b8baf"),
        Class::Inaccuracy => Some("#f7c631"),
        Class::Mistake => Some("#e58f2a"),
        Class::Blunder => Some("#ca3431"),
        _ => None,
    }
}

/// White's expected points at the first position and behind every move of the main line; a position of which nothing is
/// known is as good as the one before it.
pub fn expectations(review: &GameReview) -> Vec<f64> {
    let moves = || review.moves.iter().filter(|one| one.mainline);
    let first = moves().next().and_then(|one| one.previous_evaluation);
    let mut now = first.map_or(0.5, |evaluation| expected_points(evaluation.into()));
    let mut points = vec![now];
    for one in moves() {
        now = one.expected_points.unwrap_or(now);
        points.push(now);
    }
    points
}

fn curve(review: &GameReview) -> Curve {
    let expected = expectations(review);
    let step = WIDTH / (expected.len().max(2) - 1) as f32;
    let point = |ply: usize| (step * ply as f32, HEIGHT * (1.0 - expected[ply] as f32));
    let marks = review.moves.iter().filter(|one| one.mainline).filter_map(|one| {
        let ClassName(class) = one.classification?;
        class_colour(class)?;
        let (x, y) = point(one.ply as usize);
        let dots = match one.move_color {
            super::report::Side::White => ".",
            super::report::Side::Black => "...",
        };
        Some(Mark {
            x,
            y,
            class,
            title: format!("{}{dots}{} {class}", one.move_number, one.san),
        })
    });
    Curve {
        marks: marks.collect(),
        points: (0..expected.len()).map(point).collect(),
    }
}

/// The graph as SVG, with the names of marked moves to be hovered over.
pub fn svg(review: &GameReview) -> String {
    let curve = curve(review);
    let (white, black) = (escaped(&review.white.name), escaped(&review.black.name));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         role=\"img\">\n<title>{white} – {black}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{NIGHT}\"/>\n"
    );
    let line: Vec<String> = curve.points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let end = curve.points.last().map_or(0.0, |(x, _)| *x);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<polygon points=\"0,{HEIGHT} {} {end:.1},{HEIGHT}\" fill=\"{DAY}\"/>",
        line.join(" ")
    );
    let middle = HEIGHT / 2.0;
    let _ = writeln!(
        text,
        "<line x1=\"0\" y1=\"{middle}\" x2=\"{WIDTH}\" y2=\"{middle}\" stroke=\"{MIDDLE}\"/>"
    );
    let _ = writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"1.5\"/>",
        line.join(" ")
    );
    for mark in &curve.marks {
        let fill = class_colour(mark.class).unwrap_or(LINE);
        let _ = writeln!(
            text,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{RADIUS}\" fill=\"{fill}\"><title>{}</title></circle>",
            mark.x,
            mark.y,
            escaped(&mark.title)
        );
    }
    text.push_str("</svg>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The same as PNG, without words.
pub(super) fn png(review: &GameReview) -> io::Result<Vec<u8>> {
    let curve = curve(review);
    let mut canvas = Canvas::new(WIDTH as usize, HEIGHT as usize, NIGHT);
    canvas.fill_below(&curve.points, DAY);
    let middle = HEIGHT / 2.0;
    canvas.line((0.0, middle), (WIDTH, middle), 1.0, MIDDLE);
    for pair in curve.points.windows(2) {
        canvas.line(pair[0], pair[1], 1.5, LINE);
    }
    for mark in &curve.marks {
        canvas.disc((mark.x, mark.y), RADIUS, class_colour(mark.class).unwrap_or(LINE));
    }
    canvas.png()
}

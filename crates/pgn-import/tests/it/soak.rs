//! Mutated fixtures through what the fuzz targets check. `TABIYA_SOAK=1 cargo test soak` runs it a hundred times longer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pgn_import::fuzzing;

use crate::support::{Random, joinable_fixtures};

const ROUNDS: u64 = 400;

fn rounds() -> u64 {
    if std::env::var_os("TABIYA_SOAK").is_some_and(|value| value == "1") {
        ROUNDS * 100
    } else {
        ROUNDS
    }
}

/// Runs `body` on bytes made from each seed, and names the seed it failed at.
fn drive(first_seed: u64, make: impl Fn(&mut Random) -> Vec<u8>, body: fn(&[u8])) {
    for seed in first_seed..first_seed + rounds() {
        let bytes = make(&mut Random(seed));
        let result = catch_unwind(AssertUnwindSafe(|| body(&bytes)));
        if result.is_err() {
            panic!("seed {seed} made {:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

/// A few fixtures behind one another, some of their bytes changed.
fn mutated(fixtures: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=random.below(3) {
        bytes.extend(random.pick(fixtures));
        if random.one_in(2) {
            bytes.extend_from_slice(b"\n\n");
        }
    }
    // What means something to a reader of PGN does more harm than bytes at random.
    let words: [&[u8]; 24] = [
        b"{",
        b"}",
        b"(",
        b")",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b"\n",
        b"\n\n",
        b"\r",
        b";",
        b"%",
        b"1.",
        b"1...",
        b"1-0",
        b"1/2",
        b"*",
        b"--",
        b"e4",
        b"Nf3",
        b"[Event \"",
        b"\n[Event \"x\"]\n",
        b"\xe2\x99\x98f3",
    ];
    for _ in 0..random.below(12) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let len = random.below(bytes.len() - at).min(40);
        match random.below(6) {
            0 => bytes[at] = random.next() as u8,
            1 => drop(bytes.drain(at..at + len)),
            2 => {
                let copy = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            3 => bytes.truncate(at.max(1)),
            _ => {
                let word = *random.pick(&words);
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    bytes
}

/// Nothing but bytes, half of them from the letters PGN is made of.
fn arbitrary(random: &mut Random) -> Vec<u8> {
    let letters = b"abcdefgh12345678KQRBNOxo-=+#!?$.*/{}()[]\"\\;% \n\r\t\xc2\xbd\xe2\x99\x98\xef\xbb\xbf\0";
    let len = random.below(400);
    (0..len)
        .map(|_| {
            if random.one_in(8) {
                random.next() as u8
            } else {
                *random.pick(letters)
            }
        })
        .collect()
}

#[test]
fn soak_reader_on_mutated_fixtures() {
    let fixtures = joinable_fixtures();
    drive(0, |random| mutated(&fixtures, random), fuzzing::reader);
}

#[test]
fn soak_reader_on_arbitrary_bytes() {
    drive(1 << 32, arbitrary, fuzzing::reader);
}

#[test]
fn soak_tree_on_mutated_fixtures() {
    let fixtures = joinable_fixtures();
    drive(2 << 32, |random| mutated(&fixtures, random), fuzzing::tree);
}

#[test]
fn soak_tree_on_arbitrary_bytes() {
    drive(3 << 32, arbitrary, fuzzing::tree);
}

//! Bytes that are almost right, made from bytes that are: what a fuzzer does, without knowing where it gets.

/// SplitMix64: the same seed, the same bytes.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What does more harm than bytes at random: limits of numbers, and what means something in most languages.
#[rustfmt::skip]
const WORDS: [&[u8]; 36] = [
    b"0",
    b"-1",
    b"1e999",
    b"-2147483648",
    b"2147483648",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"65536",
    b"256",
    b"0.5",
    b"NaN",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"\"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"%00",
    b"%2F",
    b"/",
    b"=",
    b"..",
];

/// One of the texts, with a few things done to it, pieces of others among them.
pub(crate) fn mutated(texts: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(texts).clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(24)).min(bytes.len());
        match random.below(8) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, random.pick(&WORDS).iter().copied())),
            2 => drop(bytes.splice(at..end, random.pick(&WORDS).iter().copied())),
            3 => {
                let other = random.pick(texts);
                let from = random.below(other.len() + 1);
                let to = (from + random.below(64)).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            4 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            5 => number(&mut bytes, random),
            6 => bytes.truncate(at),
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => bytes.push(random.next() as u8),
        }
    }
    bytes
}

/// Puts one of the words in the place of some number.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-' || *byte == b'.';
    let from = random.below(bytes.len() + 1);
    let Some(begin) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else {
        return;
    };
    let length = bytes[begin..].iter().take_while(|byte| is_part(byte)).count();
    drop(bytes.splice(begin..begin + length, random.pick(&WORDS[..12]).iter().copied()));
}

//! The first bytes of a file, by which an archive is told from a page.

/// So many tell it.
const TELLING: usize = 4;

/// The first bytes, as far as they have come.
#[derive(Default)]
pub(super) struct Head(Vec<u8>);

impl Head {
    /// Whether what has come, and comes now, can be an archive; however few bytes come at a time.
    pub(super) fn fits(&mut self, next: &[u8]) -> bool {
        let missing = TELLING.saturating_sub(self.0.len());
        self.0.extend(next.iter().take(missing));
        begins_zstd(&self.0)
    }

    /// Whether there were enough bytes to tell.
    pub(super) fn is_whole(&self) -> bool {
        self.0.len() == TELLING
    }
}

fn begins_zstd(head: &[u8]) -> bool {
    if [0x28, 0xb5, 0x2f, 0xfd].starts_with(head) {
        return true;
    }
    // A skippable frame, as pzstd writes before each real one.
    matches!(head, [0x50..=0x5f, rest @ ..] if [0x2a, 0x4d, 0x18].starts_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is taken for an archive when it comes in one piece, and whether byte by byte.
    fn taken(bytes: &[u8]) -> (bool, bool) {
        let (mut at_once, mut slowly) = (Head::default(), Head::default());
        let whole = at_once.fits(bytes) && at_once.is_whole();
        (
            whole,
            bytes.iter().all(|byte| slowly.fits(&[*byte])) && slowly.is_whole(),
        )
    }

    #[test]
    fn archives_are_told_from_pages_and_games() {
        for archive in [
            b"\x28\xb5\x2f\xfd\x24\x00",
            b"\x50\x2a\x4d\x18\x04\x00",
            b"\x5f\x2a\x4d\x18\x04\x00",
        ] {
            assert_eq!(taken(archive), (true, true), "{archive:?}");
        }
        let others: [&[u8]; 6] = [
            b"<!doctype html>",
            // It begins as a skippable frame may.
            b"[Event \"?\"]",
            b"\x1f\x8b\x08\x00",
            b"\x28\x2a\x4d\x18",
            b"\x28\xb5\x2f",
            b"",
        ];
        for other in others {
            assert_eq!(taken(other), (false, false), "{other:?}");
        }
    }
}

//! The corpus that the bench writes itself, kept for the next run.

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Write},
    path::Path,
};

use anyhow::{Context, Result, ensure};

use super::{Corpus, digest::Digesting, games::GameWriter};

const GAMES: u64 = 60_000;
const SEED: u64 = 20_140_812;
/// Of all bytes. Another number means another generator, and figures that cannot be compared with earlier ones.
const DIGEST: u64 = 0x8f77_3216_af0a_bdcf;

/// The corpus in `dir`, written if it is not there yet.
pub(crate) fn generated(dir: &Path) -> Result<Corpus> {
    let plain = dir.join(format!("generated-{DIGEST:016x}.pgn"));
    let packed = plain.with_extension("pgn.zst");
    if !is_ours(&plain)? {
        let mut out = Digesting::new(BufWriter::new(File::create(&plain)?));
        let mut writer = GameWriter::seeded(SEED);
        for _ in 0..GAMES {
            writer.write_game(&mut out)?;
        }
        out.flush()?;
        check(out.digest())?;
    }
    if !packed.exists() {
        let whole = dir.join("generated.part");
        zstd::stream::copy_encode(File::open(&plain)?, File::create(&whole)?, 3)?;
        fs::rename(whole, &packed)?;
    }
    let bytes = fs::metadata(&plain)?.len();
    Ok(Corpus {
        name: format!("{GAMES} generated games"),
        plain,
        packed,
        bytes,
    })
}

/// Whether the file of an earlier run is there and whole.
fn is_ours(plain: &Path) -> Result<bool> {
    if !plain.exists() {
        return Ok(false);
    }
    let mut digest = Digesting::new(io::sink());
    let file = File::open(plain).with_context(|| plain.display().to_string())?;
    io::copy(&mut BufReader::with_capacity(1 << 20, file), &mut digest)?;
    Ok(digest.digest() == DIGEST)
}

fn check(digest: u64) -> Result<()> {
    ensure!(
        digest == DIGEST,
        "the generated games have the digest {digest:#018x} and not {DIGEST:#018x}"
    );
    Ok(())
}

//! Real games, from the file that `TABIYA_CORPUS` names.

use std::{
    fs::{self, File},
    io::{BufWriter, Write, copy},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use pgn_import::{Compression, Input, Source};

use super::Corpus;

/// The corpus at `path`, plain and compressed; what it lacks is written to `dir`.
pub(crate) fn real(path: &Path, dir: &Path) -> Result<Corpus> {
    let named = || path.display().to_string();
    let mut source = Source::open(&Input::Path(path.to_owned())).with_context(named)?;
    let packing = source.compression;
    let plain = if packing == Compression::None {
        path.to_owned()
    } else {
        dir.join("real.pgn")
    };
    if plain != path {
        let mut out = BufWriter::new(File::create(&plain)?);
        copy(&mut source, &mut out).with_context(named)?;
        out.flush()?;
    }
    let packed = if packing == Compression::Zstd {
        path.to_owned()
    } else {
        pack(&plain, dir)?
    };
    let bytes = fs::metadata(&plain)?.len();
    let name = path
        .file_name()
        .map_or_else(named, |name| name.to_string_lossy().into_owned());
    Ok(Corpus {
        name,
        plain,
        packed,
        bytes,
    })
}

fn pack(plain: &Path, dir: &Path) -> Result<PathBuf> {
    let packed = dir.join("real.pgn.zst");
    zstd::stream::copy_encode(File::open(plain)?, File::create(&packed)?, 3)?;
    Ok(packed)
}

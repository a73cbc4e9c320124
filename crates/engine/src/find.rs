//! Finding an engine that nobody named.

use std::{
    env,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use crate::EngineError;

const NAME: &str = "stockfish";

/// The engine to use: the one that was asked for by path or by name, else a `stockfish` on the `PATH`, in `/usr/games`, where Debian
/// puts it, or in `~/.cache/tabiya/stockfish`, where `scripts/setup` does.
///
/// # Errors
///
/// [`EngineError`] if what was asked for is no program, or if there is none.
pub fn find_engine(asked: Option<&Path>) -> Result<PathBuf, EngineError> {
    let mut places: Vec<PathBuf> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default();
    places.push("/usr/games".into());
    places.extend(env::home_dir().map(|home| home.join(".cache/tabiya/stockfish")));
    find_in(asked, &places)
}

fn find_in(asked: Option<&Path>, places: &[PathBuf]) -> Result<PathBuf, EngineError> {
    let look_up = |name: &Path| {
        places
            .iter()
            .map(|place| place.join(name))
            .find(|path| is_program(path))
    };
    let Some(path) = asked else {
        return look_up(Path::new(NAME)).ok_or_else(|| EngineError::NotFound { places: listed(places) });
    };
    // As a shell would: a bare name is looked for, a path is not.
    let is_bare = path.components().count() == 1 && path.file_name().is_some();
    if is_bare && let Some(found) = look_up(path) {
        return Ok(found);
    }
    // By its path, or the system would look for it elsewhere once more.
    let here = if is_bare {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    };
    if is_program(&here) {
        return Ok(here);
    }
    Err(EngineError::NotAnEngine {
        path: path.to_owned(),
        reason: why_not(here.metadata().map(|file| file.is_dir()), is_bare),
    })
}

/// What is wrong with what is no program, by whether it is a directory.
fn why_not(is_directory: io::Result<bool>, is_bare: bool) -> &'static str {
    match is_directory {
        Ok(true) => "it is a directory",
        Ok(false) => "the file is not executable",
        Err(error) if error.kind() == ErrorKind::PermissionDenied => "it may not be read",
        Err(_) if is_bare => "there is no such file, nor a program of that name",
        Err(_) => "there is no such file",
    }
}

fn listed(places: &[PathBuf]) -> String {
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    places.join(", ")
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn program(dir: &Path, name: &str, mode: u32) -> PathBuf {
        let path = dir.join(name);
        fs::write(&path, "#!/bin/sh\n").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
        path
    }

    #[test]
    fn the_first_place_that_has_one_wins() {
        let (empty, first, second) = (dir(), dir(), dir());
        program(empty.path(), "stockfish", 0o644); // not executable
        let expected = program(first.path(), "stockfish", 0o755);
        program(second.path(), "stockfish", 0o755);
        let other = program(second.path(), "lc0", 0o755);
        let places = [&empty, &first, &second].map(|dir| dir.path().to_owned());
        assert_eq!(find_in(None, &places).expect("an engine"), expected);
        assert_eq!(find_in(Some(Path::new("lc0")), &places).expect("by name"), other);
        assert_eq!(find_in(Some(&other), &places).expect("by path"), other);
    }

    /// `src` lies in the directory that tests are run in.
    #[test]
    fn what_lies_here_does_not_hide_a_program_of_that_name() {
        let dir = dir();
        let expected = program(dir.path(), "src", 0o755);
        let places = [dir.path().to_owned()];
        assert_eq!(find_in(Some(Path::new("src")), &places).expect("by name"), expected);
        let hidden = find_in(Some(Path::new("src")), &[]).expect_err("no program");
        assert_eq!(hidden.to_string(), "`src` is no engine: it is a directory");
    }

    #[test]
    fn what_is_missing_is_named() {
        let dir = dir();
        let places = [dir.path().to_owned()];
        let text = program(dir.path(), "notes.txt", 0o644);
        let message = |asked: Option<&Path>| find_in(asked, &places).unwrap_err().to_string();
        let shown = dir.path().display();
        assert_eq!(
            message(None),
            format!("no engine was found; looked for `stockfish` in {shown}")
        );
        assert_eq!(
            message(Some(&text)),
            format!("`{shown}/notes.txt` is no engine: the file is not executable")
        );
        assert_eq!(
            message(Some(dir.path())),
            format!("`{shown}` is no engine: it is a directory")
        );
        assert_eq!(
            message(Some(&dir.path().join("x"))),
            format!("`{shown}/x` is no engine: there is no such file")
        );
        assert_eq!(
            message(Some(Path::new("leela"))),
            "`leela` is no engine: there is no such file, nor a program of that name"
        );
    }

    /// Root may read whatever it likes, so the system's answer is made up.
    #[test]
    fn what_may_not_be_reached_is_not_called_missing() {
        let seen = |kind: ErrorKind| why_not(Err(io::Error::from(kind)), false);
        assert_eq!(seen(ErrorKind::PermissionDenied), "it may not be read");
        assert_eq!(seen(ErrorKind::NotFound), "there is no such file");
    }

    fn dir() -> tempfile::TempDir {
        tempfile::tempdir().expect("a directory")
    }
}

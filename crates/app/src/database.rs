//! Opening a database that is only looked at.

use std::path::PathBuf;

use tabiya_store::{Store, file_of};

use crate::AppError;

/// The file of a database that is one.
pub fn database_file(database: &str) -> Option<PathBuf> {
    file_of(database)
}

/// Refuses a database that is not there: a question must not leave an empty file behind.
pub fn check_database(database: &str) -> Result<(), AppError> {
    match file_of(database) {
        Some(file) if !file.exists() => Err(AppError::NoDatabase {
            path: file.display().to_string(),
        }),
        _ => Ok(()),
    }
}

/// Opens a database that is there.
pub(crate) async fn open(database: &str) -> Result<Store, AppError> {
    check_database(database)?;
    Ok(Store::connect(database).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_leaves_no_file_behind() {
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path().display();
        for url in [
            format!("sqlite:{here}/openings"),
            format!("sqlite://{here}/a%20b.db"),
            format!("{here}/100%.db"),
            format!("{here}/a?b.db"),
        ] {
            let error = open(&url).await.expect_err(&url);
            assert!(matches!(error, AppError::NoDatabase { .. }), "{url}: {error}");
        }
        assert_eq!(directory.path().read_dir().expect("readable").count(), 0);
        assert!(check_database("sqlite::memory:").is_ok());
    }
}

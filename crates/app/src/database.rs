//! Opening a database that is only looked at.

use std::path::Path;

use tabiya_store::Store;

use crate::AppError;

/// Refuses a database that is not there: a question must not leave an empty file behind.
pub fn check_database(database: &str) -> Result<(), AppError> {
    let is_url = database.contains("://") && !database.starts_with("sqlite:");
    let path = database.trim_start_matches("sqlite:").trim_start_matches("//");
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    // An escaped path is left to SQLite, which alone knows what it means.
    let certain = !is_url && path != ":memory:" && !path.contains('%') && Path::new(path).extension().is_some();
    if certain && !Path::new(path).exists() {
        return Err(AppError::NoDatabase { path: path.to_owned() });
    }
    Ok(())
}

/// Opens a database that is there.
pub(crate) async fn open(database: &str) -> Result<Store, AppError> {
    check_database(database)?;
    Ok(Store::connect(database).await?)
}

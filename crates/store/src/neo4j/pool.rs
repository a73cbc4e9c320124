//! Connections that are kept.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::bolt::{Access, Address, BoltError, Connection, Row, Statement};

pub(super) struct Pool {
    address: Address,
    /// How long a server may take to greet us, and to answer.
    within: Duration,
    patience: Duration,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
}

impl Pool {
    pub(super) fn new(address: Address, within: Duration, patience: Duration, places: u32) -> Pool {
        Pool {
            address,
            within,
            patience,
            idle: Mutex::new(Vec::new()),
            places: Semaphore::new(places.max(1) as usize),
        }
    }

    /// Runs statements in one transaction. A connection that was kept may have died meanwhile: what only reads, and got no
    /// row yet, is asked once more on a new one.
    pub(super) async fn run(
        &self,
        access: Access,
        statements: &[Statement],
        mut each: impl FnMut(usize, Row) -> Result<(), BoltError>,
    ) -> Result<(), BoltError> {
        let closed = || BoltError::Broken(std::io::Error::other("the connections were closed"));
        let _place = self.places.acquire().await.map_err(|_| closed())?;
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut connection) = kept {
            let mut rows = 0_u64;
            let ran = connection
                .run(access, statements, |statement, row| {
                    rows += 1;
                    each(statement, row)
                })
                .await;
            match ran {
                Err(error) if error.is_broken() && access == Access::Read && rows == 0 => {
                    // The others are as old.
                    self.forget();
                }
                ran => return self.keep(connection, ran),
            }
        }
        let mut connection = self.open().await?;
        let ran = connection.run(access, statements, each).await;
        self.keep(connection, ran)
    }

    pub(super) async fn open(&self) -> Result<Connection, BoltError> {
        Connection::open(&self.address, self.within, self.patience).await
    }

    /// Keeps a connection whose last answer was read to its end. One whose caller went away is dropped with it.
    fn keep(&self, connection: Connection, ran: Result<(), BoltError>) -> Result<(), BoltError> {
        if matches!(ran, Ok(()) | Err(BoltError::Refused { .. })) && !self.places.is_closed() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(connection);
        }
        ran
    }

    fn forget(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) async fn close(&self) {
        self.places.close();
        self.forget();
    }
}

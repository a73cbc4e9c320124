//! SQLite's result codes.

use crate::fault::Fault;

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANTOPEN: i32 = 14;
const CONSTRAINT: i32 = 19;
const NOTADB: i32 = 26;
const IOERR: i32 = 10;
/// What could not be written, brought to the disk, cut or (the shared memory file of the write-ahead log) made larger. A disk without
/// room, a quota or a limit on the size of files is nearly always why. Of one that breaks SQLite says the same, so the hint names that, too.
const IOERR_FOR_WANT_OF_ROOM: [i32; 4] = [IOERR | (3 << 8), IOERR | (4 << 8), IOERR | (6 << 8), IOERR | (19 << 8)];

pub(super) fn read(error: &sqlx::Error) -> Fault {
    match error {
        sqlx::Error::Database(error) => {
            let code: i32 = error.code().and_then(|c| c.parse().ok()).unwrap_or(0);
            if IOERR_FOR_WANT_OF_ROOM.contains(&code) {
                return Fault::DiskFull;
            }
            // The lower byte is the kind, the rest says more.
            match code & 0xff {
                BUSY | LOCKED => Fault::Busy,
                READONLY => Fault::ReadOnly,
                FULL => Fault::DiskFull,
                CANTOPEN => Fault::CannotOpen,
                CORRUPT | NOTADB => Fault::NotADatabase,
                CONSTRAINT => Fault::Collision,
                _ => Fault::Other,
            }
        }
        sqlx::Error::PoolTimedOut => Fault::Busy,
        sqlx::Error::WorkerCrashed | sqlx::Error::PoolClosed => Fault::ConnectionLost,
        _ => Fault::Other,
    }
}

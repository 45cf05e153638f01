//! What goes wrong inside, and what the caller is told of it.

use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::Error;

/// Why a step was not done.
#[derive(Debug)]
pub(super) enum Fault {
    /// The call itself is refused; the database is well.
    Refused(Error),
    /// SQLite failed.
    Sql(rusqlite::Error),
}

pub(super) type Outcome<T> = Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    /// Another connection has what this one needs.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Sql(rusqlite::Error::SqliteFailure(e, _))
            if matches!(e.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// For the caller, with the file's name where the file is the matter.
    pub fn told(self, path: &Path) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Sql(error) => tell(&error, path),
        }
    }
}

pub(super) fn tell(error: &rusqlite::Error, path: &Path) -> Error {
    let path = path.display();
    let (code, extended) = match error {
        rusqlite::Error::SqliteFailure(e, _) => (e.code, e.extended_code),
        _ => return Error::Internal(format!("{path}: {error}")),
    };
    match code {
        ErrorCode::DiskFull => {
            Error::ResourceExhausted(format!("the disk of {path} is full; nothing was written"))
        }
        ErrorCode::SystemIoFailure if no_room(extended) => Error::ResourceExhausted(format!(
            "{path} cannot grow (quota, size limit or a failing disk); nothing was written"
        )),
        ErrorCode::NotADatabase => Error::Internal(format!("{path} is not an SQLite database")),
        ErrorCode::DatabaseCorrupt => {
            Error::Internal(format!("the database {path} is damaged: {error}"))
        }
        ErrorCode::ReadOnly => Error::Internal(format!("{path} cannot be written: {error}")),
        _ => Error::Internal(format!("{path}: {error}")),
    }
}

/// Failures to write: where the disk is full SQLite says so itself, but a quota (EDQUOT) or a file
/// size limit (EFBIG) shows as one of these, see <https://www.sqlite.org/rescode.html>.
fn no_room(extended: i32) -> bool {
    matches!(
        extended,
        ffi::SQLITE_IOERR_WRITE
            | ffi::SQLITE_IOERR_FSYNC
            | ffi::SQLITE_IOERR_DIR_FSYNC
            | ffi::SQLITE_IOERR_TRUNCATE
            | ffi::SQLITE_IOERR_SHMSIZE
            | ffi::SQLITE_IOERR_SHMMAP
    )
}

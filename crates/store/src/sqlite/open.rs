//! Opens the file: one connection that writes, others that only read.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::fault::{Fault, Outcome};
use super::migrate::migrate;
use crate::{Error, Result};

/// How long a connection waits for another process's lock.
const BUSY: Duration = Duration::from_secs(5);
/// Between two tries to open a file that another process is opening.
const AGAIN: Duration = Duration::from_millis(5);
/// Prepared statements kept by each connection; more than there are in this crate.
const STATEMENTS: usize = 128;
/// Bytes of a page, where the file is new. A post touches some ten pages, each at another place of the
/// file, and the log holds whole pages: half the usual size halves what a post writes.
const PAGE: u32 = 2_048;

/// The connection that writes, with the tables brought to today's version.
pub(super) fn writer(path: &Path) -> Result<Connection> {
    // Only for its mode: SQLite would make the file readable for all, and gives its WAL the same mode.
    let mut file = OpenOptions::new();
    let file = file.read(true).append(true).create(true).mode(0o600);
    file.open(path)
        .map_err(|e| Error::Internal(format!("cannot open {}: {e}", path.display())))?;
    let until = Instant::now() + BUSY;
    let opened = loop {
        match ready(path) {
            // Not waited for by SQLite itself: who changes the journal's mode, or turns a read into a
            // write, gets this at once while another opens the same new file.
            Err(fault) if fault.is_busy() && Instant::now() < until => std::thread::sleep(AGAIN),
            other => break other,
        }
    };
    opened.map_err(|fault| match fault {
        Fault::Refused(error) => {
            Error::InvalidRequest(format!("cannot use {}: {error}", path.display()))
        }
        sql => sql.told(path),
    })
}

fn ready(path: &Path) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    prepare(&conn)?;
    conn.pragma_update(None, "page_size", PAGE)?;
    // Read first, so that a file of somebody else's is refused before anything is changed in it.
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // FULL: with NORMAL a WAL commit may be lost with the machine's power. One flush serves a whole
    // batch of calls.
    conn.pragma_update(None, "synchronous", "FULL")?;
    migrate(&conn)?;
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Fault::Refused(Error::Internal(format!(
            "its file system gives no shared memory for a write-ahead log (journal mode {mode})"
        ))));
    }
    // What a burst left of the log is cut off at the next checkpoint.
    conn.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
    Ok(conn)
}

/// What every connection needs.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // Without this a prepared statement is planned anew whenever a parameter of a range changes, which
    // costs ten times what the statement does: <https://www.sqlite.org/queryplanner-ng.html#qpstab>.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // No temporary files: the disk that they would need may be full.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "trusted_schema", false)
}

/// A connection that only reads.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    let open = || -> Outcome<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags)?;
        prepare(&conn)?;
        Ok(conn)
    };
    open().map_err(|fault| fault.told(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_is_flushed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("room.db");
        let writer = writer(&path).unwrap();
        let pragma = |conn: &Connection, name| {
            conn.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
                .unwrap()
        };
        assert_eq!(pragma(&writer, "synchronous"), 2.into());
        assert_eq!(pragma(&writer, "page_size"), i64::from(PAGE).into());
        assert_eq!(pragma(&writer, "journal_mode"), "wal".to_owned().into());
        assert_eq!(pragma(&writer, "foreign_keys"), 1.into());
        assert_eq!(pragma(&writer, "busy_timeout"), 5_000.into());
        let reader = reader(&path).unwrap();
        assert_eq!(pragma(&reader, "busy_timeout"), 5_000.into());
        let refused = reader.execute("DELETE FROM room", []).unwrap_err();
        assert_eq!(
            refused.sqlite_error_code(),
            Some(rusqlite::ErrorCode::ReadOnly)
        );
    }
}

//! The numbered steps from an empty file to today's tables.

use rusqlite::Connection;

use super::fault::Outcome;
use crate::Error;

/// In the order of their numbers, from 1.
const STEPS: &[&str] = &[include_str!("migrations/0001.sql")];

/// Marks the file as ours ("room" in ASCII), see <https://www.sqlite.org/pragma.html#pragma_application_id>.
const APPLICATION_ID: i64 = 0x726f_6f6d;

/// The version of the tables that this program makes and knows.
pub(super) fn version() -> usize {
    STEPS.len()
}

/// Brings the tables to today's version; a file of a newer version or of another program is refused
/// untouched.
pub(super) fn migrate(conn: &Connection) -> Outcome<()> {
    // In one transaction: between two reads another process may make the tables. Dropped, it ends.
    let looking = conn.unchecked_transaction()?;
    let done = found(&looking)? == version();
    drop(looking);
    if done {
        return Ok(());
    }
    // Again under the lock: another process may just have done it.
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let done = found(conn)?;
    for sql in STEPS.iter().skip(done) {
        conn.execute_batch(sql)?;
    }
    conn.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {}; COMMIT",
        version()
    ))?;
    Ok(())
}

/// The version that the file has; 0 for an empty one.
fn found(conn: &Connection) -> Outcome<usize> {
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (found, owner) = (pragma("user_version")?, pragma("application_id")?);
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if owner != APPLICATION_ID && (tables > 0 || owner != 0 || found != 0) {
        let why = "it is a database of another program";
        return Err(Error::InvalidRequest(why.to_owned()).into());
    }
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    if done > version() {
        return Err(Error::InvalidRequest(format!(
            "its tables have version {found}, and this program knows them up to version {}; \
             use the newer program that wrote it",
            version()
        ))
        .into());
    }
    Ok(done)
}

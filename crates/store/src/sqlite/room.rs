use room_protocol::{RoomName, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Outcome;
use super::tx::Tx;
use super::words;
use crate::{RoomRecord, rules};

pub(super) fn create(tx: &Tx<'_>, name: &RoomName, at: Timestamp) -> Outcome<(RoomRecord, bool)> {
    let made = tx.done(
        "INSERT INTO room (name, created_at) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
        params![name.as_str(), at.unix_ms()],
    )?;
    Ok((get(tx, name)?, made > 0))
}

/// A room's row number.
pub(super) fn seq(conn: &Connection, name: &RoomName) -> Outcome<i64> {
    let mut find = conn.prepare_cached("SELECT seq FROM room WHERE name = ?1")?;
    let seq = find
        .query_row([name.as_str()], |row| row.get(0))
        .optional()?;
    Ok(seq.ok_or_else(|| rules::no_room(name))?)
}

pub(super) fn get(conn: &Connection, name: &RoomName) -> Outcome<RoomRecord> {
    let mut find = conn.prepare_cached(
        "SELECT name, created_at, messages, last_number FROM room WHERE name = ?1",
    )?;
    let room = find.query_row([name.as_str()], record).optional()?;
    Ok(room.ok_or_else(|| rules::no_room(name))?)
}

pub(super) fn all(conn: &Connection) -> Outcome<Vec<RoomRecord>> {
    let mut all = conn
        .prepare_cached("SELECT name, created_at, messages, last_number FROM room ORDER BY name")?;
    let rooms = all.query_map([], record)?;
    Ok(rooms.collect::<Result<_, _>>()?)
}

fn record(row: &Row<'_>) -> rusqlite::Result<RoomRecord> {
    let last: Option<i64> = row.get(3)?;
    Ok(RoomRecord {
        name: words::name(row, 0)?,
        created_at: words::time(row, 1)?,
        messages: words::count(row, 2)?,
        last_number: last.map(i64::unsigned_abs),
    })
}

/// The highest number that was ever written; 0 at first.
pub(super) fn last_number(conn: &Connection) -> Outcome<u64> {
    let mut last = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'message'")?;
    let last = last.query_row([], |row| words::count(row, 0)).optional()?;
    Ok(last.unwrap_or(0))
}

use room_protocol::{Event, Handle, RoomName};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Outcome;
use super::words;

/// The last event's cursor; 0 at first.
pub(super) fn last(conn: &Connection) -> Outcome<u64> {
    let mut last = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'event'")?;
    let last = last.query_row([], |row| words::count(row, 0)).optional()?;
    Ok(last.unwrap_or(0))
}

pub(super) fn after(
    conn: &Connection,
    after: u64,
    room: Option<&RoomName>,
    limit: usize,
) -> Outcome<Vec<Event>> {
    const COLUMNS: &str =
        "SELECT e.cursor, e.at, e.kind, r.name, e.number, e.run, e.how, e.exit_code
        FROM event e CROSS JOIN room r ON r.seq = e.room";
    let (after, limit) = (words::int(after), words::int(limit as u64));
    let events: Result<Vec<Event>, _> = match room {
        None => conn
            .prepare_cached(&format!(
                "{COLUMNS} WHERE e.cursor > ?1 ORDER BY e.cursor LIMIT ?2"
            ))?
            .query_map(params![after, limit], event)?
            .collect(),
        Some(room) => conn
            .prepare_cached(&format!(
                "{COLUMNS} WHERE e.room = (SELECT seq FROM room WHERE name = ?3)
                 AND e.cursor > ?1 ORDER BY e.cursor LIMIT ?2"
            ))?
            .query_map(params![after, limit, room.as_str()], event)?
            .collect(),
    };
    Ok(events?)
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    let room: RoomName = words::name(row, 3)?;
    let number: Option<i64> = row.get(4)?;
    Ok(Event {
        cursor: words::count(row, 0)?,
        at: words::time(row, 1)?,
        kind: words::word(row, 2)?,
        message: number.map(|number| Handle {
            room: room.clone(),
            number: number.unsigned_abs(),
        }),
        room,
        run: words::some_name(row, 5)?,
        how: words::some_word(row, 6)?,
        exit_code: row.get(7)?,
    })
}

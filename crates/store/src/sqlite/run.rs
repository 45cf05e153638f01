//! Runs and their metadata.

use room_protocol::{AuthorName, EventKind, RoomName, RunId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::fault::{Fault, Outcome};
use super::tx::{About, Tx};
use super::{room, words};
use crate::{NewRun, RunPatch, RunQuery, RunRecord, rules};

/// What the other verbs need of a run.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    pub id: RunId,
    pub seq: i64,
    pub room: i64,
    pub floor: i64,
    pub opened_floor: i64,
    /// Cursor of its opening.
    pub opened: i64,
    /// Cursor of its end.
    pub ended: Option<i64>,
}

pub(super) fn seat(conn: &Connection, id: &RunId) -> Outcome<Seat> {
    let mut find = conn.prepare_cached(
        "SELECT seq, room, floor, opened_floor, opened, ended FROM run WHERE id = ?1",
    )?;
    let seat = find.query_row([id.as_str()], |row| {
        Ok(Seat {
            id: id.clone(),
            seq: row.get(0)?,
            room: row.get(1)?,
            floor: row.get(2)?,
            opened_floor: row.get(3)?,
            opened: row.get(4)?,
            ended: row.get(5)?,
        })
    });
    Ok(seat.optional()?.ok_or_else(|| rules::no_run(id))?)
}

/// Selects runs' records, by the index that is named.
macro_rules! select {
    ($index:literal, $rest:literal) => {
        concat!(
            "SELECT run.id, room.name, run.name, cli, credential_hash, git, history, opened_at,
                    ended_at, exit_code, session, introduced, alive_at, active_at, last_tool
             FROM run ",
            $index,
            " CROSS JOIN room ON room.seq = run.room ",
            $rest
        )
    };
}

fn record(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    Ok(RunRecord {
        id: words::name(row, 0)?,
        room: words::name(row, 1)?,
        name: words::name(row, 2)?,
        cli: row.get(3)?,
        credential_hash: row.get(4)?,
        git: words::word(row, 5)?,
        history: row.get(6)?,
        opened_at: words::time(row, 7)?,
        ended_at: words::some_time(row, 8)?,
        exit_code: row.get(9)?,
        session: row.get(10)?,
        introduced: row.get(11)?,
        alive_at: words::time(row, 12)?,
        active_at: words::time(row, 13)?,
        last_tool: row.get(14)?,
    })
}

pub(super) fn get(conn: &Connection, id: &RunId) -> Outcome<RunRecord> {
    let mut find = conn.prepare_cached(select!("", "WHERE run.id = ?1"))?;
    let run = find.query_row([id.as_str()], record).optional()?;
    Ok(run.ok_or_else(|| rules::no_run(id))?)
}

pub(super) fn by_credential(conn: &Connection, hash: &[u8; 32]) -> Outcome<Option<RunRecord>> {
    let mut find = conn.prepare_cached(select!(
        "INDEXED BY run_credential",
        "WHERE credential_hash = ?1 AND ended IS NULL ORDER BY run.seq LIMIT 1"
    ))?;
    Ok(find.query_row([hash], record).optional()?)
}

pub(super) fn name_in_use(conn: &Connection, room: &RoomName, name: &AuthorName) -> Outcome<bool> {
    let mut find = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM run WHERE room = (SELECT seq FROM room WHERE name = ?1)
                        AND name = ?2 AND ended IS NULL)",
    )?;
    Ok(find.query_row([room.as_str(), name.as_str()], |row| row.get(0))?)
}

pub(super) fn list(conn: &Connection, query: &RunQuery) -> Outcome<Vec<RunRecord>> {
    let sql = match (&query.room, query.live) {
        (None, false) => select!("", "WHERE ?1 IS NULL ORDER BY run.seq DESC LIMIT ?2"),
        (None, true) => select!(
            "INDEXED BY run_open",
            "WHERE ?1 IS NULL AND ended IS NULL ORDER BY run.seq DESC LIMIT ?2"
        ),
        (Some(_), false) => select!(
            "INDEXED BY run_room",
            "WHERE run.room = (SELECT seq FROM room WHERE name = ?1) ORDER BY run.seq DESC LIMIT ?2"
        ),
        (Some(_), true) => select!(
            "INDEXED BY run_live",
            "WHERE run.room = (SELECT seq FROM room WHERE name = ?1) AND ended IS NULL
             ORDER BY run.seq DESC LIMIT ?2"
        ),
    };
    let mut find = conn.prepare_cached(sql)?;
    let room = query.room.as_ref().map(RoomName::as_str);
    let limit = query.limit.map_or(-1, |limit| words::int(limit as u64));
    let runs = find.query_map(params![room, limit], record)?;
    Ok(runs.collect::<Result<_, _>>()?)
}

/// Attaches what nobody took. Parameters: 1 the run's row, 2 its room's row, 3 its floor, 4 its id.
pub(super) const ATTACH: &str = "INSERT INTO pending (run, number)
    SELECT ?1, u.number FROM untaken u CROSS JOIN message m ON m.number = u.number
    WHERE u.room = ?2 AND u.number <= ?3 AND m.author_run IS NOT ?4";

pub(super) fn open(tx: &Tx<'_>, new: &NewRun) -> Outcome<RunRecord> {
    rules::check_run(new)?;
    let room = room::seq(tx, &new.room)?;
    match seat(tx, &new.id) {
        Ok(_) => return Err(rules::run_used(&new.id).into()),
        Err(Fault::Refused(_)) => {}
        Err(fault) => return Err(fault),
    }
    if name_in_use(tx, &new.room, &new.name)? {
        return Err(rules::name_used(&new.name, &new.room).into());
    }
    let opened = tx.event(
        new.opened_at,
        EventKind::RunOpened,
        About::run(room, &new.id),
    )?;
    tx.done(
        "INSERT INTO run (id, room, name, cli, credential_hash, git, history, opened_at, alive_at,
                          active_at, opened, opened_floor, floor)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?8, ?9, ?10, ?10)",
        params![
            new.id.as_str(),
            room,
            new.name.as_str(),
            new.cli,
            new.credential_hash,
            words::as_word(new.git)?,
            new.history,
            new.opened_at.unix_ms(),
            opened,
            words::int(new.floor),
        ],
    )?;
    let seq = tx.last_insert_rowid();
    tx.done(
        ATTACH,
        params![seq, room, words::int(new.floor), new.id.as_str()],
    )?;
    get(tx, &new.id)
}

pub(super) fn update(tx: &Tx<'_>, id: &RunId, patch: &RunPatch) -> Outcome<RunRecord> {
    let RunPatch {
        cli,
        session,
        introduced,
        alive_at,
        active_at,
        last_tool,
    } = patch;
    let seq = seat(tx, id)?.seq;
    let set = |column: &str, value: &dyn ToSql| {
        tx.done(
            &format!("UPDATE run SET {column} = ?2 WHERE seq = ?1"),
            params![seq, value],
        )
    };
    let texts = [
        ("session", session),
        ("introduced", introduced),
        ("last_tool", last_tool),
    ];
    for (column, value) in texts {
        if let Some(value) = value {
            set(column, value)?;
        }
    }
    if let Some(cli) = cli {
        set("cli", cli)?;
    }
    for (column, at) in [("alive_at", alive_at), ("active_at", active_at)] {
        if let Some(at) = at.map(Timestamp::unix_ms) {
            set(column, &at)?;
        }
    }
    get(tx, id)
}

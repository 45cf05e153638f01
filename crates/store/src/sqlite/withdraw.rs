use room_protocol::{EventKind, RoomName, Status, Timestamp};
use rusqlite::params;

use super::fault::Outcome;
use super::tx::{About, Tx};
use super::{room, view, words};
use crate::Withdrawn;

pub(super) fn withdraw(
    tx: &Tx<'_>,
    name: &RoomName,
    number: u64,
    at: Timestamp,
) -> Outcome<Withdrawn> {
    let message = view::by_handle(tx, name, number)?;
    match message.status {
        Status::Withdrawn => return Ok(Withdrawn::Done(message)),
        Status::Taken => return Ok(Withdrawn::Taken(message)),
        Status::Queued | Status::Attached | Status::Failed => {}
    }
    let (room, number) = (room::seq(tx, name)?, words::int(number));
    let cursor = tx.event(at, EventKind::Withdrawn, About::message(room, number))?;
    tx.done(
        "UPDATE message SET withdrawn = ?2 WHERE number = ?1",
        [number, cursor],
    )?;
    tx.done(
        "DELETE FROM untaken WHERE room = ?1 AND number = ?2",
        [room, number],
    )?;
    const LIVE: &str = "SELECT seq FROM run INDEXED BY run_live WHERE room = ?1 AND ended IS NULL";
    tx.done(
        &format!(
            "INSERT INTO missed (run, number)
             SELECT run, number FROM pending WHERE run IN ({LIVE}) AND number = ?2"
        ),
        params![room, number],
    )?;
    for table in ["pending", "piece"] {
        tx.done(
            &format!("DELETE FROM {table} WHERE run IN ({LIVE}) AND number = ?2"),
            params![room, number],
        )?;
    }
    Ok(Withdrawn::Done(view::get(tx, number)?))
}

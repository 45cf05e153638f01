//! Moves a run's floor up, so that no question steps over what was dealt with.

use room_protocol::RunId;
use rusqlite::params;

use super::fault::Outcome;
use super::inbox::ABOVE;
use super::run::{self, Seat};
use super::tx::Tx;

/// Rows above the floor that do not wait, from which on a question is worth tidying after.
pub(super) const SLACK: u64 = 64;
/// Rows looked at by one acknowledgement at most.
const STEPS: i64 = 256;
/// Rows looked at by one tidying at most.
const TIDY_STEPS: i64 = 1_024;

/// Moves the floor over what the run wrote or took, up to the first message that waits.
pub(super) fn advance(tx: &Tx<'_>, seat: &Seat) -> Outcome<()> {
    let rows = above(tx, seat, STEPS)?;
    let dealt_with = rows.iter().take_while(|(_, waits)| !waits);
    match dealt_with.last() {
        Some((number, _)) => set(tx, seat, *number),
        None => Ok(()),
    }
}

/// Moves the floor over what waits as well, which becomes pending: for a run with so many messages
/// dealt with above one that waits (its own, say) that stepping over them would cost.
pub(super) fn tidy(tx: &Tx<'_>, run: &RunId) -> Outcome<()> {
    let seat = run::seat(tx, run)?;
    if seat.ended.is_some() {
        return Ok(());
    }
    let rows = above(tx, &seat, TIDY_STEPS)?;
    for (number, _) in rows.iter().filter(|(_, waits)| *waits) {
        tx.done(
            "INSERT INTO pending (run, number) VALUES (?1, ?2)",
            [seat.seq, *number],
        )?;
    }
    match rows.last() {
        Some((number, _)) => set(tx, &seat, *number),
        None => Ok(()),
    }
}

fn above(tx: &Tx<'_>, seat: &Seat, steps: i64) -> Outcome<Vec<(i64, bool)>> {
    let mut find = tx.prepare_cached(ABOVE)?;
    let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str(), steps];
    let rows = find.query_map(place, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn set(tx: &Tx<'_>, seat: &Seat, floor: i64) -> Outcome<()> {
    tx.done(
        "UPDATE run SET floor = ?2 WHERE seq = ?1",
        [seat.seq, floor],
    )?;
    Ok(())
}

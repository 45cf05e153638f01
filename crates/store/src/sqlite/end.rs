use room_protocol::EventKind;
use rusqlite::params;

use super::fault::Outcome;
use super::tx::{About, Tx};
use super::{ledger, run};
use crate::{RunEnd, RunRecord};

pub(super) fn end(tx: &Tx<'_>, end: &RunEnd) -> Outcome<RunRecord> {
    let seat = run::seat(tx, &end.run)?;
    if seat.ended.is_some() {
        return run::get(tx, &end.run);
    }
    let about = About::run(seat.room, &end.run);
    let of = |number| About {
        number: Some(number),
        ..about
    };
    for number in ledger::return_unproven(tx, &seat, end.at)? {
        tx.event(end.at, EventKind::Returned, of(number))?;
    }
    let failed: Vec<i64> = tx
        .prepare_cached(
            "SELECT m.number FROM message m INDEXED BY message_to
             WHERE m.to_run = ?1 AND m.withdrawn IS NULL AND m.room = ?2
               AND NOT EXISTS (SELECT 1 FROM ledger l INDEXED BY ledger_message
                               WHERE l.number = m.number AND l.returned_at IS NULL)
             ORDER BY m.number",
        )?
        .query_map(params![end.run.as_str(), seat.room], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for number in failed {
        tx.event(end.at, EventKind::Failed, of(number))?;
    }
    let ended = About {
        exit_code: end.exit_code,
        ..about
    };
    let ended = tx.event(end.at, EventKind::RunEnded, ended)?;
    tx.done(
        "UPDATE run SET ended_at = ?2, exit_code = ?3, ended = ?4 WHERE seq = ?1",
        params![seat.seq, end.at.unix_ms(), end.exit_code, ended],
    )?;
    tx.done("DELETE FROM piece WHERE run = ?1", [seat.seq])?;
    run::get(tx, &end.run)
}

use room_protocol::{How, RunId, Timestamp};
use rusqlite::params;

use super::fault::Outcome;
use super::ledger::{self, Shown};
use super::run;
use super::tx::Tx;
use crate::rules;

pub(super) fn adopt(tx: &Tx<'_>, run: &RunId, session: &str, at: Timestamp) -> Outcome<u64> {
    let seat = run::seat(tx, run)?;
    if seat.ended.is_some() {
        return Ok(0);
    }
    tx.done(
        "UPDATE ledger INDEXED BY ledger_unproven SET session = ?2
         WHERE run = ?1 AND session IS NULL AND confirmed_at IS NULL AND returned_at IS NULL",
        params![seat.seq, session],
    )?;
    let numbers: Vec<i64> = tx
        .prepare_cached(
            "SELECT DISTINCT l.number FROM ledger l INDEXED BY ledger_returned
             CROSS JOIN message m ON m.number = l.number
             WHERE l.session = ?1 AND l.returned_at IS NOT NULL
               AND m.room = ?2 AND m.withdrawn IS NULL
               AND NOT EXISTS (SELECT 1 FROM ledger o WHERE o.run = ?3 AND o.number = l.number)
             ORDER BY l.number",
        )?
        .query_map(params![session, seat.room, seat.seq], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let resumed = rules::resumed();
    for number in &numbers {
        let shown = Shown {
            how: How::Opened,
            at,
            session: Some(session),
            printed: Some(&resumed),
            confirmed: false,
        };
        ledger::enter(tx, &seat, *number, shown)?;
    }
    Ok(numbers.len() as u64)
}

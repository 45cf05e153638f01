//! The exact-id ledger: what enters it, what returns from it, what confirms it.

use room_protocol::{EventKind, How, Proof, Timestamp};
use rusqlite::{Connection, params};

use super::fault::Outcome;
use super::run::Seat;
use super::tx::{About, Tx};
use super::words;

/// How a message was shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    pub how: How,
    pub at: Timestamp,
    pub session: Option<&'a str>,
    pub printed: Option<&'a Proof>,
    pub confirmed: bool,
}

pub(super) fn holds(conn: &Connection, run: i64, number: i64) -> Outcome<bool> {
    let mut find =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM ledger WHERE run = ?1 AND number = ?2)")?;
    Ok(find.query_row([run, number], |row| row.get(0))?)
}

/// Enters a delivery; what it stands for no longer waits. One that comes unconfirmed after its run's
/// end goes back to the queue at once, as it would have at the end: nothing can confirm it any more.
pub(super) fn enter(tx: &Tx<'_>, run: &Seat, number: i64, shown: Shown<'_>) -> Outcome<()> {
    let returns = run.ended.is_some() && !shown.confirmed;
    let about = About {
        number: Some(number),
        ..About::run(run.room, &run.id)
    };
    let taken = About {
        how: Some(shown.how),
        ..about
    };
    let taken = tx.event(shown.at, EventKind::Taken, taken)?;
    tx.done(
        "INSERT INTO ledger (run, number, how, at, session, printed_kind, printed_mark, taken,
                             confirmed_at, returned_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            run.seq,
            number,
            shown.how.as_str(),
            shown.at.unix_ms(),
            shown.session,
            shown.printed.map(|p| words::as_word(p.kind)).transpose()?,
            shown.printed.map(|p| &p.mark),
            taken,
            shown.confirmed.then_some(shown.at.unix_ms()),
            returns.then_some(shown.at.unix_ms()),
        ],
    )?;
    for table in ["pending", "piece"] {
        tx.done(
            &format!("DELETE FROM {table} WHERE run = ?1 AND number = ?2"),
            [run.seq, number],
        )?;
    }
    if shown.confirmed {
        tx.event(shown.at, EventKind::Confirmed, about)?;
    }
    if returns {
        tx.event(shown.at, EventKind::Returned, about)?;
    } else {
        tx.done(
            "DELETE FROM untaken WHERE room = ?1 AND number = ?2",
            [run.room, number],
        )?;
    }
    Ok(())
}

/// Sends a run's unconfirmed deliveries back to the queue; answers which messages those are, in order.
pub(super) fn return_unproven(tx: &Tx<'_>, run: &Seat, at: Timestamp) -> Outcome<Vec<i64>> {
    let numbers: Vec<i64> = tx
        .prepare_cached(
            "SELECT number FROM ledger INDEXED BY ledger_unproven
             WHERE run = ?1 AND confirmed_at IS NULL AND returned_at IS NULL ORDER BY number",
        )?
        .query_map([run.seq], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for number in &numbers {
        tx.done(
            "UPDATE ledger SET returned_at = ?3 WHERE run = ?1 AND number = ?2",
            [run.seq, *number, at.unix_ms()],
        )?;
        tx.done(
            "INSERT INTO untaken (room, number)
             SELECT room, number FROM message m
             WHERE number = ?1 AND to_run IS NULL AND withdrawn IS NULL
               AND NOT EXISTS (SELECT 1 FROM ledger l INDEXED BY ledger_message
                               WHERE l.number = m.number AND l.returned_at IS NULL)
             ON CONFLICT DO NOTHING",
            [number],
        )?;
    }
    Ok(numbers)
}

/// Confirms what an event proves of a run's deliveries in one session.
pub(super) fn confirm(
    tx: &Tx<'_>,
    run: &Seat,
    session: &str,
    proof: &Proof,
    at: Timestamp,
) -> Outcome<u64> {
    let unproven: Vec<(i64, Option<Proof>)> = tx
        .prepare_cached(
            "SELECT number, printed_kind, printed_mark FROM ledger INDEXED BY ledger_unproven
             WHERE run = ?1 AND session = ?2 AND confirmed_at IS NULL AND returned_at IS NULL
             ORDER BY number",
        )?
        .query_map(params![run.seq, session], |row| {
            let kind = words::some_word(row, 1)?;
            let mark: Option<String> = row.get(2)?;
            let printed = kind.zip(mark).map(|(kind, mark)| Proof { kind, mark });
            Ok((row.get(0)?, printed))
        })?
        .collect::<Result<_, _>>()?;
    let mut confirmed = 0;
    for (number, printed) in unproven {
        if printed.is_some_and(|printed| proof.confirms(&printed)) {
            tx.done(
                "UPDATE ledger SET confirmed_at = ?3 WHERE run = ?1 AND number = ?2",
                [run.seq, number, at.unix_ms()],
            )?;
            let about = About {
                number: Some(number),
                ..About::run(run.room, &run.id)
            };
            tx.event(at, EventKind::Confirmed, about)?;
            confirmed += 1;
        }
    }
    Ok(confirmed)
}

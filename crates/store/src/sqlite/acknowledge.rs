use room_protocol::MessageId;
use rusqlite::{OptionalExtension, params};

use super::fault::Outcome;
use super::ledger::{self, Shown};
use super::run::{self, Seat};
use super::tx::Tx;
use super::{floor, words};
use crate::{Acked, Acknowledgement, rules};

pub(super) fn acknowledge(tx: &Tx<'_>, ack: &Acknowledgement) -> Outcome<Acked> {
    let seat = run::seat(tx, &ack.run)?;
    if let (true, Some(session)) = (ack.introduced, &ack.session) {
        tx.done(
            "UPDATE run SET introduced = ?2 WHERE seq = ?1",
            params![seat.seq, session],
        )?;
    }
    let shown = Shown {
        how: ack.how,
        at: ack.at,
        session: ack.session.as_deref(),
        printed: ack.printed.as_ref(),
        confirmed: ack.confirmed,
    };
    let mut acked = Acked::default();
    for (id, offset) in rules::shown(&ack.items) {
        let list = match find(tx, id)? {
            None => &mut acked.unknown,
            Some(message) if ledger::holds(tx, seat.seq, message.number)? => &mut acked.settled,
            Some(message) if !was_in_inbox(tx, &seat, &message)? => &mut acked.refused,
            Some(message) => match piece(tx, &message, offset)? {
                None => {
                    ledger::enter(tx, &seat, message.number, shown)?;
                    &mut acked.settled
                }
                Some(offset) if seat.ended.is_none() && message.withdrawn.is_none() => {
                    keep_piece(tx, &seat, message.number, shown.session, offset)?;
                    &mut acked.partial
                }
                // No rest waits, and what was shown is not all.
                Some(_) => &mut acked.settled,
            },
        };
        list.push(id.clone());
    }
    if !acked.settled.is_empty() && seat.ended.is_none() {
        floor::advance(tx, &seat)?;
    }
    Ok(acked)
}

/// What decides whether a message was ever in an inbox.
struct Seen {
    number: i64,
    room: i64,
    author_run: Option<String>,
    to_run: Option<String>,
    posted: i64,
    withdrawn: Option<i64>,
}

fn find(tx: &Tx<'_>, id: &MessageId) -> Outcome<Option<Seen>> {
    let mut find = tx.prepare_cached(
        "SELECT number, room, author_run, to_run, posted, withdrawn FROM message WHERE id = ?1",
    )?;
    let seen = find.query_row([id.as_str()], |row| {
        Ok(Seen {
            number: row.get(0)?,
            room: row.get(1)?,
            author_run: row.get(2)?,
            to_run: row.get(3)?,
            posted: row.get(4)?,
            withdrawn: row.get(5)?,
        })
    });
    Ok(seen.optional()?)
}

/// Whether a message that the run's ledger does not hold was ever in its inbox.
fn was_in_inbox(tx: &Tx<'_>, run: &Seat, message: &Seen) -> Outcome<bool> {
    let id = Some(run.id.as_str());
    let meant = message.room == run.room
        && (message.to_run.is_none() || message.to_run.as_deref() == id)
        && message.author_run.as_deref() != id;
    if !meant {
        return Ok(false);
    }
    if message.number > run.opened_floor {
        let in_time = run.ended.is_none_or(|ended| message.posted < ended);
        let still = message.withdrawn.is_none_or(|gone| gone > run.opened);
        return Ok(in_time && still);
    }
    let mut attached = tx.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM pending WHERE run = ?1 AND number = ?2)
             OR EXISTS (SELECT 1 FROM missed WHERE run = ?1 AND number = ?2)",
    )?;
    Ok(attached.query_row([run.seq, message.number], |row| row.get(0))?)
}

fn piece(tx: &Tx<'_>, message: &Seen, offset: Option<u64>) -> Outcome<Option<u64>> {
    if offset.is_none() {
        return Ok(None);
    }
    let mut find = tx.prepare_cached("SELECT body FROM message WHERE number = ?1")?;
    let body: String = find.query_row([message.number], |row| row.get(0))?;
    Ok(rules::piece(&body, offset))
}

fn keep_piece(
    tx: &Tx<'_>,
    run: &Seat,
    number: i64,
    session: Option<&str>,
    offset: u64,
) -> Outcome<()> {
    let place = params![run.seq, number, session, words::int(offset)];
    let known = tx.done(
        "UPDATE piece SET offset = max(offset, ?4)
         WHERE run = ?1 AND number = ?2 AND session IS ?3",
        place,
    )?;
    if known == 0 {
        tx.done(
            "INSERT INTO piece (run, number, session, offset) VALUES (?1, ?2, ?3, ?4)",
            place,
        )?;
    }
    Ok(())
}

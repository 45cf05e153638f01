//! What waits for a run: what is pending, and what lies above its floor and not in its ledger.

use rusqlite::{Connection, params};

use super::fault::Outcome;
use super::run::{self, Seat};
use super::{view, words};
use crate::rules::{self, Admitted, Budget};
use crate::{Inbox, InboxEntry, InboxQuery};

/// What may wait above the floor: its `number`, and whether it `waits` or was written or taken by the
/// run. Parameters: 1 the run's row, 2 its room's row, 3 its floor, 4 its id.
macro_rules! above {
    () => {
        "SELECT number, author_run IS NOT ?4 AND NOT EXISTS
                    (SELECT 1 FROM ledger l WHERE l.run = ?1 AND l.number = m.number) AS waits
         FROM message m INDEXED BY message_all
         WHERE room = ?2 AND to_run IS NULL AND withdrawn IS NULL AND number > ?3
         UNION ALL
         SELECT number, author_run IS NOT ?4 AND NOT EXISTS
                    (SELECT 1 FROM ledger l WHERE l.run = ?1 AND l.number = m.number) AS waits
         FROM message m INDEXED BY message_to
         WHERE to_run = ?4 AND withdrawn IS NULL AND number > ?3 AND room = ?2"
    };
}

/// The first rows above the floor, at most ?5.
pub(super) const ABOVE: &str = concat!(above!(), " ORDER BY number LIMIT ?5");

/// How many are pending, how many lie above the floor, and how many of those wait.
pub(super) const COUNT: &str = concat!(
    "SELECT (SELECT count(*) FROM pending WHERE run = ?1), count(*), count(*) FILTER (WHERE waits)
     FROM (",
    above!(),
    ")"
);

/// The first numbers that wait, at most ?5.
pub(super) const NUMBERS: &str = concat!(
    "SELECT number FROM (SELECT number, 1 AS waits FROM pending WHERE run = ?1 UNION ALL ",
    above!(),
    ") WHERE waits ORDER BY number LIMIT ?5"
);

/// The last numbers that wait, the last first, at most ?5.
pub(super) const NEWEST: &str = concat!(
    "SELECT number FROM (SELECT number, 1 AS waits FROM pending WHERE run = ?1 UNION ALL ",
    above!(),
    ") WHERE waits ORDER BY number DESC LIMIT ?5"
);

/// How many of those that wait a person wrote.
pub(super) const PEOPLE: &str = concat!(
    "SELECT count(*) FROM (SELECT number, 1 AS waits FROM pending WHERE run = ?1 UNION ALL ",
    above!(),
    ") w CROSS JOIN message p ON p.number = w.number WHERE w.waits AND p.author_kind = 'person'"
);

/// What a question found, and how much it had to step over to find it.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub answer: T,
    /// Rows above the floor that do not wait.
    pub stepped_over: u64,
}

impl<T> Found<T> {
    fn nothing(answer: T) -> Self {
        Self {
            answer,
            stepped_over: 0,
        }
    }
}

pub(super) fn waiting(conn: &Connection, seat: &Seat) -> Outcome<Found<u64>> {
    if seat.ended.is_some() {
        return Ok(Found::nothing(0));
    }
    let mut count = conn.prepare_cached(COUNT)?;
    let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str()];
    Ok(count.query_row(place, |row| {
        let (pending, above, waits) = (
            words::count(row, 0)?,
            words::count(row, 1)?,
            words::count(row, 2)?,
        );
        Ok(Found {
            answer: pending + waits,
            stepped_over: above - waits,
        })
    })?)
}

pub(super) fn inbox(conn: &Connection, query: &InboxQuery) -> Outcome<Found<Inbox>> {
    rules::check_limit(query.limit)?;
    let seat = run::seat(conn, &query.run)?;
    let waiting = waiting(conn, &seat)?;
    if waiting.answer == 0 {
        return Ok(Found {
            answer: Inbox::default(),
            stepped_over: waiting.stepped_over,
        });
    }
    let begun = begun(conn, &seat, query.session.as_deref())?;
    // Of the newest those too large for the budget are passed over, and nobody knows how many.
    let wanted = match query.newest {
        true => i64::MAX as usize,
        false => query.limit.saturating_add(begun.len()),
    };
    let sql = if query.newest { NEWEST } else { NUMBERS };
    let fresh = numbers(conn, &seat, sql, wanted)?.into_iter();
    let fresh = fresh.filter(|n| !begun.iter().any(|(number, _)| number == n));
    let order = begun.iter().copied().chain(fresh.map(|number| (number, 0)));

    let mut budget = Budget::new(query);
    let mut entries: Vec<InboxEntry> = Vec::new();
    for (number, offset) in order {
        if entries.len() == query.limit {
            break;
        }
        let message = view::get(conn, number)?;
        let shown = usize::try_from(offset).unwrap_or(usize::MAX);
        match budget.admits(message.body.len().saturating_sub(shown)) {
            Admitted::Yes => {}
            Admitted::No => continue,
            Admitted::NoMore => break,
        }
        let again = message.deliveries.iter().any(|d| d.returned_at.is_some());
        entries.push(InboxEntry {
            message,
            offset,
            again,
        });
    }
    entries.sort_by_key(|e| (e.offset == 0, e.message.number));
    Ok(Found {
        answer: Inbox {
            entries,
            waiting: waiting.answer,
            people: people(conn, &seat)?,
        },
        stepped_over: waiting.stepped_over,
    })
}

fn people(conn: &Connection, seat: &Seat) -> Outcome<u64> {
    let mut count = conn.prepare_cached(PEOPLE)?;
    let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str()];
    Ok(count.query_row(place, |row| words::count(row, 0))?)
}

/// Numbers that wait: [`NUMBERS`] or [`NEWEST`].
fn numbers(conn: &Connection, seat: &Seat, sql: &str, limit: usize) -> Outcome<Vec<i64>> {
    let mut find = conn.prepare_cached(sql)?;
    let limit = words::int(limit as u64);
    let place = params![seat.seq, seat.room, seat.floor, seat.id.as_str(), limit];
    let numbers = find.query_map(place, |row| row.get(0))?;
    Ok(numbers.collect::<Result<_, _>>()?)
}

/// The messages that a session was shown a piece of, and how far. They wait: a piece goes with what
/// takes its message out of the inbox.
fn begun(conn: &Connection, seat: &Seat, session: Option<&str>) -> Outcome<Vec<(i64, u64)>> {
    let mut find = conn.prepare_cached(
        "SELECT number, offset FROM piece INDEXED BY piece_run
         WHERE run = ?1 AND session IS ?2 AND offset > 0 ORDER BY number",
    )?;
    let begun = find.query_map(params![seat.seq, session], |row| {
        Ok((row.get(0)?, words::count(row, 1)?))
    })?;
    Ok(begun.collect::<Result<_, _>>()?)
}

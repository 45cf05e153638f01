//! A message as it goes out: its words, its deliveries, and the status that follows from facts.

use room_protocol::{Author, Delivery, Handle, Message, MessageId, RoomName};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Outcome;
use super::words;
use crate::rules::{self, Facts};

/// A message by its number, if there is one.
pub(super) fn find(conn: &Connection, number: i64) -> Outcome<Option<Message>> {
    let mut find = conn.prepare_cached(
        "SELECT m.number, m.id, r.name, m.author_name, m.author_kind, m.author_run, m.author_room,
                m.sent_at, m.to_run, m.reply_to, m.quotes, m.body, m.withdrawn IS NOT NULL,
                EXISTS (SELECT 1 FROM run WHERE run.id = m.to_run AND run.ended IS NOT NULL)
         FROM message m JOIN room r ON r.seq = m.room WHERE m.number = ?1",
    )?;
    let found = find.query_row([number], message).optional()?;
    let Some((mut message, mut facts)) = found else {
        return Ok(None);
    };
    message.deliveries = deliveries(conn, number)?;
    facts.taken = message.deliveries.iter().any(|d| d.returned_at.is_none());
    facts.waits = !facts.withdrawn && !facts.taken && waits(conn, number)?;
    message.status = rules::status(facts);
    Ok(Some(message))
}

/// A message that is known to be there.
pub(super) fn get(conn: &Connection, number: i64) -> Outcome<Message> {
    Ok(find(conn, number)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?)
}

pub(super) fn by_handle(conn: &Connection, room: &RoomName, number: u64) -> Outcome<Message> {
    let message = find(conn, words::int(number))?.filter(|m| m.room == *room);
    Ok(message.ok_or_else(|| rules::no_message(&format!("{room}/{number}")))?)
}

pub(super) fn by_id(conn: &Connection, id: &MessageId) -> Outcome<Message> {
    match number_of_id(conn, id)? {
        Some(number) => get(conn, number),
        None => Err(rules::no_message(id.as_str()).into()),
    }
}

pub(super) fn number_of_id(conn: &Connection, id: &MessageId) -> Outcome<Option<i64>> {
    let mut find = conn.prepare_cached("SELECT number FROM message WHERE id = ?1")?;
    Ok(find.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

pub(super) fn number_of_key(conn: &Connection, author: &Author, key: &str) -> Outcome<Option<i64>> {
    let mut find =
        conn.prepare_cached("SELECT number FROM message WHERE key_scope = ?1 AND key = ?2")?;
    let scope = rules::key_scope(author);
    Ok(find
        .query_row([scope.as_str(), key], |row| row.get(0))
        .optional()?)
}

fn message(row: &Row<'_>) -> rusqlite::Result<(Message, Facts)> {
    let number = words::count(row, 0)?;
    let room: RoomName = words::name(row, 2)?;
    let facts = Facts {
        withdrawn: row.get(12)?,
        addressee_ended: row.get(13)?,
        ..Facts::default()
    };
    let message = Message {
        id: words::name(row, 1)?,
        handle: Handle {
            room: room.clone(),
            number,
        },
        room,
        number,
        author: Author {
            name: words::name(row, 3)?,
            kind: words::word(row, 4)?,
            run: words::some_name(row, 5)?,
            room: words::some_name(row, 6)?,
        },
        sent_at: words::time(row, 7)?,
        to: words::some_name(row, 8)?,
        reply_to: words::some_name(row, 9)?,
        quotes: words::list(row, 10)?,
        body: row.get(11)?,
        status: rules::status(facts),
        deliveries: Vec::new(),
    };
    Ok((message, facts))
}

/// In order of time, and of the acknowledgements where that is the same.
fn deliveries(conn: &Connection, number: i64) -> Outcome<Vec<Delivery>> {
    let mut find = conn.prepare_cached(
        "SELECT r.id, l.how, l.at, l.confirmed_at IS NOT NULL, l.session, l.returned_at
         FROM ledger l INDEXED BY ledger_message CROSS JOIN run r ON r.seq = l.run
         WHERE l.number = ?1 ORDER BY l.at, l.taken",
    )?;
    let deliveries = find.query_map([number], |row| {
        Ok(Delivery {
            run: words::name(row, 0)?,
            how: words::word(row, 1)?,
            at: words::time(row, 2)?,
            confirmed: row.get(3)?,
            session: row.get(4)?,
            returned_at: words::some_time(row, 5)?,
        })
    })?;
    Ok(deliveries.collect::<Result<_, _>>()?)
}

/// Whether a live run's inbox holds a message that nobody took or withdrew.
fn waits(conn: &Connection, number: i64) -> Outcome<bool> {
    let mut find = conn.prepare_cached(
        "SELECT EXISTS (
            SELECT 1 FROM message m CROSS JOIN run r INDEXED BY run_live ON r.room = m.room
            WHERE m.number = ?1 AND r.ended IS NULL
              AND (m.to_run IS NULL OR m.to_run = r.id) AND r.id IS NOT m.author_run
              AND (m.number > r.opened_floor
                   OR EXISTS (SELECT 1 FROM pending p WHERE p.run = r.seq AND p.number = m.number)))",
    )?;
    Ok(find.query_row(params![number], |row| row.get(0))?)
}

use room_protocol::{EventKind, Handle, RoomName, RunId};
use rusqlite::{OptionalExtension, params};

use super::fault::Outcome;
use super::tx::{About, Tx};
use super::{room, view, words};
use crate::rules::{self, Said};
use crate::{Appended, NewMessage};

pub(super) fn append(tx: &Tx<'_>, messages: &[NewMessage]) -> Outcome<Vec<Appended>> {
    let mut written = Vec::with_capacity(messages.len());
    for message in messages {
        rules::check_message(message)?;
        let room = room::seq(tx, &message.room)?;
        match resent(tx, message)? {
            Some(number) => written.push((number, false)),
            None => {
                check_unused(tx, message)?;
                write(tx, room, message)?;
                written.push((words::int(message.number), true));
            }
        }
    }
    let answer = |(number, new)| {
        let message = view::get(tx, number)?;
        Ok(if new {
            Appended::New(message)
        } else {
            Appended::Resent(message)
        })
    };
    written.into_iter().map(answer).collect()
}

/// The number of the message that this one repeats, if its key was used before.
fn resent(tx: &Tx<'_>, message: &NewMessage) -> Outcome<Option<i64>> {
    let Some(key) = &message.key else {
        return Ok(None);
    };
    let Some(number) = view::number_of_key(tx, &message.author, key)? else {
        return Ok(None);
    };
    let first = view::get(tx, number)?;
    if Said::from(&first) != Said::from(message) {
        return Err(rules::key_used(key, &first.handle).into());
    }
    Ok(Some(number))
}

fn check_unused(tx: &Tx<'_>, message: &NewMessage) -> Outcome<()> {
    if let Some(number) = view::number_of_id(tx, &message.id)?
        && let Some(other) = handle(tx, number)?
    {
        return Err(rules::id_used(&message.id, &other).into());
    }
    match handle(tx, words::int(message.number))? {
        Some(other) => Err(rules::number_used(message.number, &other).into()),
        None => Ok(()),
    }
}

fn handle(tx: &Tx<'_>, number: i64) -> Outcome<Option<Handle>> {
    let mut find = tx.prepare_cached(
        "SELECT r.name FROM message m JOIN room r ON r.seq = m.room WHERE m.number = ?1",
    )?;
    let room = find.query_row([number], |row| words::name::<RoomName>(row, 0));
    let handle = |room| Handle {
        room,
        number: number.unsigned_abs(),
    };
    Ok(room.optional()?.map(handle))
}

fn write(tx: &Tx<'_>, room: i64, message: &NewMessage) -> Outcome<()> {
    let number = words::int(message.number);
    let posted = tx.event(
        message.sent_at,
        EventKind::Posted,
        About::message(room, number),
    )?;
    let (author, to) = (&message.author, message.to.as_ref().map(RunId::as_str));
    let author_run = author.run.as_ref().map(RunId::as_str);
    tx.done(
        "INSERT INTO message (number, id, room, author_name, author_kind, author_run, author_room,
                              sent_at, to_run, reply_to, quotes, key_scope, key, posted, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            number,
            message.id.as_str(),
            room,
            author.name.as_str(),
            words::as_word(author.kind)?,
            author_run,
            author.room.as_ref().map(RoomName::as_str),
            message.sent_at.unix_ms(),
            to,
            message.reply_to.as_ref().map(Handle::to_string),
            words::as_list(&message.quotes)?,
            message.key.as_ref().map(|_| rules::key_scope(author)),
            message.key,
            posted,
            message.body,
        ],
    )?;
    tx.done(
        "UPDATE room SET messages = messages + 1, last_number = max(coalesce(last_number, 0), ?2)
         WHERE seq = ?1",
        [room, number],
    )?;
    if to.is_none() {
        tx.done(
            "INSERT INTO untaken (room, number) VALUES (?1, ?2)",
            [room, number],
        )?;
    }
    // Runs whose floor passed the number while it was on its way would never look there.
    tx.done(
        "INSERT INTO pending (run, number)
         SELECT seq, ?2 FROM run INDEXED BY run_live
         WHERE room = ?1 AND ended IS NULL AND floor >= ?2
           AND (?3 IS NULL OR id = ?3) AND id IS NOT ?4",
        params![room, number, to, author_run],
    )?;
    tx.wrote(message.number);
    Ok(())
}

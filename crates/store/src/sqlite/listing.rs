use rusqlite::{Connection, params};

use super::fault::Outcome;
use super::{room, view, words};
use crate::{MessageQuery, Page, rules};

pub(super) fn page(conn: &Connection, query: &MessageQuery) -> Outcome<Page> {
    rules::check_limit(query.limit)?;
    let seq = room::seq(conn, &query.room)?;
    let order = if query.after.is_some() { "ASC" } else { "DESC" };
    let mut find = conn.prepare_cached(&format!(
        "SELECT number FROM message INDEXED BY message_room
         WHERE room = ?1 AND number > ?2 AND number < ?3 ORDER BY number {order} LIMIT ?4"
    ))?;
    let after = query.after.map_or(0, words::int);
    let before = query.before.map_or(i64::MAX, words::int);
    let limit = words::int(query.limit as u64).saturating_add(1);
    let numbers = find.query_map(params![seq, after, before, limit], |row| row.get(0))?;
    let mut numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
    let has_more = numbers.len() > query.limit;
    numbers.truncate(query.limit);
    numbers.sort_unstable();
    let messages = numbers.into_iter().map(|number| view::get(conn, number));
    Ok(Page {
        messages: messages.collect::<Outcome<_>>()?,
        has_more,
        total: room::get(conn, &query.room)?.messages,
    })
}

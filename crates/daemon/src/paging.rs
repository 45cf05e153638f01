//! A page of a room's messages: the same on both lanes.

use room_protocol::RoomName;
use room_protocol::message::MessagePage;
use room_store::MessageQuery;
use serde::Deserialize;

use crate::fit;
use crate::refusal::Result;
use crate::state::{Daemon, no_room};

/// Which messages: numbers below `before`, above `after`, at most `limit`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paging {
    before: Option<u64>,
    after: Option<u64>,
    limit: Option<usize>,
}

/// The page: without `after` it ends with the newest, else it begins with the oldest. It may be
/// shorter than the limit, where long messages fill it.
pub async fn page(daemon: &Daemon, room: &RoomName, paging: &Paging) -> Result<MessagePage> {
    let query = MessageQuery {
        room: room.clone(),
        before: paging.before,
        after: paging.after,
        limit: fit::limit(paging.limit)?,
    };
    let mut page = daemon.store.messages(query).await.map_err(|e| match e {
        room_store::Error::NotFound(_) => no_room(room),
        other => other.into(),
    })?;
    let cut = if paging.after.is_some() {
        fit::cut_end(&mut page.messages)
    } else {
        fit::cut_start(&mut page.messages)
    };
    Ok(MessagePage {
        messages: page.messages,
        has_more: page.has_more || cut,
        total: page.total,
    })
}

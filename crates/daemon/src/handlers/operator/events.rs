//! `GET /v1/events`: what happened, then what happens, as server-sent events.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use room_protocol::RoomName;
use serde::Deserialize;

use crate::event_stream;
use crate::extract::Query;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Which events.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    after: Option<u64>,
    room: Option<RoomName>,
    /// Absent: true. False: the stream ends with the last event that there is.
    follow: Option<bool>,
}

/// Streams events after a cursor (`Last-Event-ID`, which a reconnecting client sends, before
/// `after`; without either, from the first).
pub async fn events(
    State(daemon): State<Arc<Daemon>>,
    Query(which): Query<Which>,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    if let Some(room) = &which.room {
        daemon.existing_room(room).await?;
    }
    let after = match headers.get("last-event-id") {
        Some(id) => Some(
            id.to_str()
                .ok()
                .and_then(|id| id.parse().ok())
                .ok_or_else(|| Refusal::invalid("the Last-Event-ID header is not a cursor"))?,
        ),
        None => which.after,
    };
    let stream = event_stream::stream(
        daemon,
        after.unwrap_or(0),
        which.room,
        which.follow.unwrap_or(true),
    );
    Ok((
        [
            (CONTENT_TYPE, "text/event-stream"),
            (CACHE_CONTROL, "no-store"),
        ],
        Body::from_stream(stream),
    ))
}

//! `GET /v1/run/messages`: what waits, without taking it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::lane::{Peek, Waiting};
use room_protocol::limits::REQUEST_BYTES;
use room_store::InboxQuery;
use serde::Deserialize;

use crate::extract::{Credentialed, Query};
use crate::fit;
use crate::refusal::Result;
use crate::state::Daemon;

/// How many to list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    limit: Option<usize>,
}

/// Lists what waits.
pub async fn peek(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    Query(which): Query<Which>,
) -> Result<Json<Peek>> {
    let session = run.pulse().session.clone();
    let inbox = daemon
        .store
        .inbox(InboxQuery {
            run: run.id.clone(),
            session,
            limit: fit::limit(which.limit)?,
            bytes: REQUEST_BYTES,
            newest: false,
        })
        .await?;
    let mut messages: Vec<Waiting> = inbox
        .entries
        .into_iter()
        .map(|entry| Waiting {
            message: entry.message,
            offset: entry.offset,
            again: entry.again,
        })
        .collect();
    fit::cut_end(&mut messages);
    let listed = u64::try_from(messages.len()).unwrap_or(u64::MAX);
    Ok(Json(Peek {
        has_more: listed < inbox.waiting,
        waiting: inbox.waiting,
        people: inbox.people,
        messages,
    }))
}

//! `POST /v1/rooms/{room}/messages/{number}/withdraw`: takes a message back.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::{Message, ProblemKind, RoomName, Timestamp};
use room_store::Withdrawn;

use super::message::find;
use crate::extract::InPath;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Takes a message back, unless a run has taken it. Where one is being shown it, its lease decides:
/// the answer comes when that has ended, within 5 s.
pub async fn withdraw(
    State(daemon): State<Arc<Daemon>>,
    InPath((room, number)): InPath<(RoomName, u64)>,
) -> Result<Json<Message>> {
    let message = find(&daemon, &room, number).await?;
    Daemon::whole(async move { take_back(&daemon, message).await.map(Json) }).await
}

async fn take_back(daemon: &Daemon, message: Message) -> Result<Message> {
    let entry = daemon.registry.room(&message.room);
    let _mark = daemon.leases.withdrawing(&message.id);
    // Whoever looked into an inbox before the mark was set has its lease after this.
    drop(entry.gate.write().await);
    daemon.leases.released(&message.id).await;
    let _gate = entry.gate.write().await;
    let outcome = daemon
        .store
        .withdraw(&message.room, message.number, Timestamp::now())
        .await?;
    match outcome {
        Withdrawn::Done(message) => Ok(message),
        Withdrawn::Taken(message) => Err(Refusal::new(ProblemKind::Taken, taken(&message))),
    }
}

fn taken(message: &Message) -> String {
    let by = message
        .deliveries
        .iter()
        .find(|d| d.returned_at.is_none())
        .map(|d| format!(" by run {} at {}", d.run, d.at))
        .unwrap_or_default();
    format!("{} was taken{by}; it cannot be taken back", message.handle)
}

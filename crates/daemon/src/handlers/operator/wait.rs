//! `GET /v1/rooms/{room}/messages/{number}/wait`: answers when a message is settled.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use room_protocol::{Message, ProblemKind, RoomName, Status};
use serde::Deserialize;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::message::find;
use crate::extract::{InPath, Query};
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Longest wait.
const MAX: Duration = Duration::from_secs(600);
/// Between two looks, however much happens elsewhere.
const LOOK: Duration = Duration::from_millis(10);
/// A look without having been woken, should another process write to the store.
const UNWOKEN: Duration = Duration::from_secs(5);

/// For how long, and for what.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct How {
    timeout_ms: Option<u64>,
    #[serde(default)]
    confirmed: bool,
}

/// Answers when the message is taken (or confirmed, where that is asked for), withdrawn or failed.
/// Errors: 408 when the time is over, 503 when the daemon ends.
pub async fn wait(
    State(daemon): State<Arc<Daemon>>,
    InPath((room, number)): InPath<(RoomName, u64)>,
    Query(how): Query<How>,
) -> Result<Json<Message>> {
    let patience = how.timeout_ms.map_or(MAX, Duration::from_millis);
    if patience > MAX {
        return Err(Refusal::invalid(format!(
            "timeout_ms={}: at most {}",
            patience.as_millis(),
            MAX.as_millis()
        )));
    }
    let deadline = Instant::now() + patience;
    let mut events = daemon.store.watch_events();
    loop {
        // Marked as seen before looking, so that what comes after the look wakes.
        events.borrow_and_update();
        let looked = Instant::now();
        let message = find(&daemon, &room, number).await?;
        if settled(&message, how.confirmed) {
            return Ok(Json(message));
        }
        if Instant::now() >= deadline {
            return Err(Refusal::new(
                ProblemKind::Timeout,
                format!("{} is still {}", message.handle, message.status),
            ));
        }
        let wake = async {
            // A store that has closed wakes nobody; the daemon is ending then.
            let _ = timeout_at(looked + UNWOKEN, events.changed()).await;
            sleep_until(looked + LOOK).await;
        };
        tokio::select! {
            () = daemon.shutdown.wait() => return Err(Refusal::ending()),
            _ = timeout_at(deadline, wake) => {}
        }
    }
}

fn settled(message: &Message, confirmed: bool) -> bool {
    match message.status {
        Status::Queued | Status::Attached => false,
        Status::Taken => {
            let standing = |d: &&room_protocol::Delivery| d.returned_at.is_none();
            !confirmed
                || message
                    .deliveries
                    .iter()
                    .filter(standing)
                    .any(|d| d.confirmed)
        }
        Status::Withdrawn | Status::Failed => true,
    }
}

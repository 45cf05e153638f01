//! `GET /v1/health`: what the daemon says of itself.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::operator::Health;

use crate::state::{Daemon, VERSION};

/// What the daemon says of itself.
pub async fn health(State(daemon): State<Arc<Daemon>>) -> Json<Health> {
    Json(Health {
        version: VERSION.to_owned(),
        pid: std::process::id(),
        home: daemon.layout.home().display().to_string(),
        started_at: daemon.started_at,
        store: daemon.store.describe(),
        live_runs: u64::try_from(daemon.registry.live().len()).unwrap_or(u64::MAX),
    })
}

//! `POST /v1/shutdown`: the daemon ends.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::state::Daemon;

/// Answered, then the daemon ends.
pub async fn shutdown(State(daemon): State<Arc<Daemon>>) -> StatusCode {
    daemon.shutdown.begin();
    StatusCode::ACCEPTED
}

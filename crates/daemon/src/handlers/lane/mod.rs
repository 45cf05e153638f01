//! The run lane: what a run may do, with its credential.

use std::sync::Arc;

use axum::Router;
use axum::routing::{delete, get, post};

use crate::state::Daemon;

mod deliveries;
mod heartbeat;
mod history;
mod lease;
mod peek;
mod post;
mod read;
mod release;
mod run;

/// The lane's calls.
pub fn routes() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/v1/run", get(run::run))
        .route("/v1/run/leases", post(lease::lease))
        .route("/v1/run/leases/{lease}", delete(release::release))
        .route("/v1/run/deliveries", post(deliveries::acknowledge))
        .route("/v1/run/messages", get(peek::peek).post(post::post))
        .route("/v1/run/room/messages", get(read::read))
        .route("/v1/run/heartbeat", post(heartbeat::heartbeat))
}

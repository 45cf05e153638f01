//! The operator lane: everything, for whoever has the operator socket.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::state::Daemon;

mod end_run;
mod events;
mod health;
mod message;
mod messages;
mod metrics;
mod new_room;
mod open_run;
mod post;
mod room;
mod rooms;
mod run;
mod runs;
mod shutdown;
mod wait;
mod withdraw;

/// The lane's calls.
pub fn routes() -> Router<Arc<Daemon>> {
    const MESSAGE: &str = "/v1/rooms/{room}/messages/{number}";
    Router::new()
        .route("/v1/health", get(health::health))
        .route("/v1/metrics", get(metrics::metrics))
        .route("/v1/shutdown", post(shutdown::shutdown))
        .route("/v1/rooms", get(rooms::rooms).post(new_room::new_room))
        .route("/v1/rooms/{room}", get(room::room))
        .route(
            "/v1/rooms/{room}/messages",
            get(messages::messages).post(post::post),
        )
        .route(MESSAGE, get(message::message))
        .route(&format!("{MESSAGE}/withdraw"), post(withdraw::withdraw))
        .route(&format!("{MESSAGE}/wait"), get(wait::wait))
        .route("/v1/runs", get(runs::runs).post(open_run::open_run))
        .route("/v1/runs/{run}", get(run::run))
        .route("/v1/runs/{run}/end", post(end_run::end_run))
        .route("/v1/events", get(events::events))
}

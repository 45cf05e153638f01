//! `POST /v1/run/heartbeat`: a sign of life.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::Timestamp;
use room_protocol::lane::{Heard, Sign};

use crate::extract::{Body, Credentialed};
use crate::refusal::Result;
use crate::signs;
use crate::state::Daemon;

/// Takes a sign of life in. Only a new session, or a moment that may prove a delivery, reaches the store.
pub async fn heartbeat(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    Body(sign): Body<Sign>,
) -> Result<Json<Heard>> {
    let sign = signs::bounded(sign);
    run.pulse().hear(&sign, Timestamp::now());
    if signs::concerns_store(&run, &sign) {
        let (daemon, run) = (Arc::clone(&daemon), Arc::clone(&run));
        Daemon::whole(async move {
            let _turn = run.turn.lock().await;
            signs::tell_store(&daemon, &run, &sign).await
        })
        .await?;
    }
    let waiting = daemon.waiting(&run).await?;
    Ok(Json(Heard { waiting }))
}

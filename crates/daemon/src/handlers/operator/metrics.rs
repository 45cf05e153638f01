//! `GET /v1/metrics`: Prometheus text.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use crate::metrics::Now;
use crate::refusal::Result;
use crate::state::{Daemon, VERSION};

/// The counters, and what is so at this moment.
pub async fn metrics(State(daemon): State<Arc<Daemon>>) -> Result<impl IntoResponse> {
    let live = daemon.registry.live();
    let mut unread = 0;
    for run in &live {
        unread += daemon.waiting(run).await?;
    }
    let text = daemon.metrics.text(&Now {
        leases_issued: daemon.leases.issued(),
        leases_held: daemon.leases.count(),
        live_runs: live.len(),
        unread,
        uptime: daemon.started.elapsed().as_secs_f64(),
        store: daemon.store.describe(),
        version: VERSION,
    });
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}

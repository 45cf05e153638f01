//! `DELETE /v1/run/leases/{lease}`: gives a lease back, its messages not shown.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use crate::extract::{Credentialed, InPath};
use crate::pulse::Phase;
use crate::refusal::{Refusal, Result};
use crate::state::Daemon;

/// Gives a lease back; one that is gone is no fault. Errors: 400 for what names no lease.
pub async fn release(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    InPath(lease): InPath<String>,
) -> Result<StatusCode> {
    if lease.is_empty() || !lease.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(Refusal::invalid(
            "a lease's name has letters and digits, nothing else",
        ));
    }
    if daemon.leases.end(&run.id, &lease) {
        let mut pulse = run.pulse();
        if matches!(pulse.phase, Phase::Stopping(_)) {
            pulse.phase = Phase::Idle;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

//! The run lane's credential.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use room_protocol::ProblemKind;

use crate::credential;
use crate::refusal::{Refusal, Result};
use crate::registry::RunEntry;
use crate::state::Daemon;

/// A live run, by its credential.
pub struct Credentialed(pub Arc<RunEntry>);

/// A run by its credential, also after its end as long as its directory exists: for
/// acknowledgements, which are valid whatever became of the run.
pub struct EvenEnded(pub Arc<RunEntry>);

impl FromRequestParts<Arc<Daemon>> for Credentialed {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, daemon: &Arc<Daemon>) -> Result<Self> {
        let run = find(parts, daemon).await?;
        if run.ended().is_some() {
            return Err(unauthorized(format!("the run {} has ended", run.id)));
        }
        Ok(Self(run))
    }
}

impl FromRequestParts<Arc<Daemon>> for EvenEnded {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, daemon: &Arc<Daemon>) -> Result<Self> {
        find(parts, daemon).await.map(Self)
    }
}

async fn find(parts: &Parts, daemon: &Daemon) -> Result<Arc<RunEntry>> {
    let credential = bearer(parts).ok_or_else(|| {
        unauthorized("the header `Authorization: Bearer <credential>` is missing")
    })?;
    let hash = credential::hash(credential);
    if let Some(run) = daemon.registry.by_credential(&hash) {
        return Ok(run);
    }
    match daemon.store.run_by_credential(&hash).await? {
        Some(record) if credential::same(&record.credential_hash, &hash) => {
            Ok(daemon.adopt(&record))
        }
        _ => Err(unauthorized("no live run has this credential")),
    }
}

fn bearer(parts: &Parts) -> Option<&str> {
    let value = parts.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, credential) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !credential.is_empty()).then(|| credential.trim())
}

fn unauthorized(detail: impl Into<String>) -> Refusal {
    Refusal::new(ProblemKind::Unauthorized, detail)
}

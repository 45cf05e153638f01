//! `POST /v1/run/leases`: one lease of waiting messages.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::lane::{Lease, LeaseRequest, Waiting};
use room_protocol::limits::{LEASE, PAGE, REQUEST_BYTES};
use room_protocol::{ProblemKind, Timestamp};
use room_store::{InboxQuery, RunPatch};

use super::history;
use crate::extract::{Body, Credentialed};
use crate::pulse::{Moment, Phase};
use crate::refusal::{Refusal, Result};
use crate::registry::RunEntry;
use crate::state::Daemon;
use crate::{fit, random, signs};

/// Leases what waits, at most `budget` bytes of it. Where nothing waits there is no lease, and nothing
/// reaches the store's disk.
pub async fn lease(
    State(daemon): State<Arc<Daemon>>,
    Credentialed(run): Credentialed,
    Body(request): Body<LeaseRequest>,
) -> Result<Json<Lease>> {
    let request = LeaseRequest {
        sign: signs::bounded(request.sign),
        ..request
    };
    run.pulse().hear(&request.sign, Timestamp::now());
    if request.sign.agent_id.is_some() {
        let waiting = daemon.waiting(&run).await?;
        return Ok(Json(nothing(&run, &request, waiting)));
    }
    let emptied = request.opening || request.fresh;
    if !emptied && run.nothing_waits() && !signs::concerns_store(&run, &request.sign) {
        return Ok(Json(nothing(&run, &request, 0)));
    }
    Daemon::whole(async move { issue(&daemon, &run, &request).await.map(Json) }).await
}

/// An answer without a lease.
fn nothing(run: &RunEntry, request: &LeaseRequest, waiting: u64) -> Lease {
    Lease {
        lease: None,
        expires_at: None,
        messages: Vec::new(),
        waiting,
        people: 0,
        introduce: introduce(run, request),
        history: Vec::new(),
        history_total: 0,
    }
}

/// Whether the room has yet to be explained in the session that asks.
fn introduce(run: &RunEntry, request: &LeaseRequest) -> bool {
    let pulse = run.pulse();
    let session = request.sign.session.as_ref().or(pulse.session.as_ref());
    pulse.introduced.is_none() || pulse.introduced.as_ref() != session
}

async fn issue(daemon: &Daemon, run: &RunEntry, request: &LeaseRequest) -> Result<Lease> {
    let _turn = run.turn.lock().await;
    if run.ended().is_some() {
        return Err(Refusal::new(
            ProblemKind::Unauthorized,
            format!("the run {} has ended", run.id),
        ));
    }
    signs::tell_store(daemon, run, &request.sign).await?;
    if !request.takeover && daemon.leases.is_held(&run.id) {
        return Err(Refusal::new(
            ProblemKind::LeaseHeld,
            "another hook of this run holds a lease; it ends with its acknowledgement or by itself",
        ));
    }
    if request.fresh {
        begin_again(daemon, run).await?;
    }
    let mut answer = take(daemon, run, request).await?;
    if request.opening && run.history {
        history::add(daemon, run, request.budget, &mut answer).await?;
    }
    if Moment::of(&request.sign) == Moment::Stop
        && let Some(until) = answer.expires_at
    {
        run.pulse().phase = Phase::Stopping(until);
    }
    Ok(answer)
}

/// The context was emptied: messages begun begin again, and the room is explained again.
async fn begin_again(daemon: &Daemon, run: &RunEntry) -> Result<()> {
    daemon.store.forget_pieces(&run.id).await?;
    if run.pulse().introduced.is_some() {
        let patch = RunPatch {
            introduced: Some(None),
            ..RunPatch::default()
        };
        daemon.store.update_run(&run.id, patch).await?;
        run.pulse().introduced = None;
    }
    Ok(())
}

/// Looks into the inbox and leases what it holds. No withdrawal comes in between.
async fn take(daemon: &Daemon, run: &RunEntry, request: &LeaseRequest) -> Result<Lease> {
    let _gate = run.room_entry.gate.read().await;
    let session = request.sign.session.clone();
    let changes = run.room_entry.changes();
    let query = InboxQuery {
        run: run.id.clone(),
        session: session.or_else(|| run.pulse().session.clone()),
        limit: PAGE,
        bytes: usize::try_from(request.budget)
            .unwrap_or(usize::MAX)
            .min(REQUEST_BYTES),
        // The conversation so far begins where it fits; what is older comes after it.
        newest: request.opening,
    };
    let inbox = daemon.store.inbox(query).await?;
    run.waits(changes, inbox.waiting);
    let mut messages: Vec<Waiting> = inbox
        .entries
        .into_iter()
        .filter(|entry| daemon.leases.showable(&entry.message.id))
        .map(|entry| Waiting {
            message: entry.message,
            offset: entry.offset,
            again: entry.again,
        })
        .collect();
    // What was begun comes first whatever else does.
    if request.opening && messages.first().is_some_and(|w| w.offset == 0) {
        fit::cut_start(&mut messages);
    } else {
        fit::cut_end(&mut messages);
    }
    let mut answer = nothing(run, request, inbox.waiting);
    answer.people = inbox.people;
    // What was leased before is void: its holder is dead or out of time.
    daemon.leases.end_any(&run.id);
    if messages.is_empty() {
        return Ok(answer);
    }
    let lease = random::hex::<16>()?;
    let ids: HashSet<_> = messages.iter().map(|w| w.message.id.clone()).collect();
    daemon.leases.issue(&run.id, lease.clone(), ids);
    answer.lease = Some(lease);
    answer.expires_at = Some(Timestamp::now().plus(LEASE));
    answer.messages = messages;
    Ok(answer)
}

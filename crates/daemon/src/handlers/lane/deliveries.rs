//! `POST /v1/run/deliveries`: acknowledges exactly what was shown.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use room_protocol::lane::{Acknowledge, Acknowledged, Item};
use room_protocol::limits::ITEMS;
use room_protocol::{How, ProblemKind, Timestamp};
use room_store::{AckItem, Acknowledgement, RunPatch};

use crate::extract::{Body, EvenEnded};
use crate::pulse::Phase;
use crate::refusal::{Refusal, Result};
use crate::registry::RunEntry;
use crate::signs;
use crate::state::Daemon;

/// Acknowledges, whatever became of lease, message or run since.
pub async fn acknowledge(
    State(daemon): State<Arc<Daemon>>,
    EvenEnded(run): EvenEnded,
    Body(mut request): Body<Acknowledge>,
) -> Result<Json<Acknowledged>> {
    if request.items.len() > ITEMS {
        return Err(Refusal::new(
            ProblemKind::TooLarge,
            format!("an acknowledgement names at most {ITEMS} ids"),
        ));
    }
    request.session = request.session.filter(|s| !s.is_empty());
    request.session.iter_mut().for_each(signs::cut);
    if let Some(printed) = &mut request.printed {
        signs::cut(&mut printed.mark);
    }
    Daemon::whole(async move { settle(&daemon, &run, request).await.map(Json) }).await
}

async fn settle(daemon: &Daemon, run: &RunEntry, request: Acknowledge) -> Result<Acknowledged> {
    let _turn = run.turn.lock().await;
    let session = request.session.or_else(|| run.pulse().session.clone());
    // Without a session no hook speaks for the run, and no moment of one could ever prove what it read
    // itself: its own word is all the proof there is.
    let confirmed = request.how == How::Read && session.is_none();
    let acked = if request.items.is_empty() {
        explained_only(daemon, run, session.as_deref(), request.introduced).await?;
        room_store::Acked::default()
    } else {
        let acknowledgement = Acknowledgement {
            run: run.id.clone(),
            how: request.how,
            at: Timestamp::now(),
            session: session.clone(),
            printed: request.printed.clone(),
            confirmed,
            items: once(request.items),
            introduced: request.introduced,
        };
        daemon.store.acknowledge(acknowledgement).await?
    };
    if let Some(lease) = &request.lease {
        daemon.leases.end(&run.id, lease);
    }
    daemon.leases.settled(&run.id, &acked.settled);
    if request.introduced && session.is_some() {
        run.pulse().introduced.clone_from(&session);
    }
    if request.how == How::Gated && run.ended().is_none() {
        run.pulse().phase = Phase::Working;
    }
    if !acked.settled.is_empty() {
        if !confirmed {
            run.unproven()
                .printed(session.as_deref(), request.printed.as_ref());
        }
        daemon.metrics.delivered(request.how, acked.settled.len());
    }
    Ok(Acknowledged {
        settled: acked.settled,
        partial: acked.partial,
        unknown: acked.unknown,
        refused: acked.refused,
    })
}

/// The room was explained, and no message was shown with it.
async fn explained_only(
    daemon: &Daemon,
    run: &RunEntry,
    session: Option<&str>,
    introduced: bool,
) -> Result<()> {
    if introduced && session.is_some() && run.ended().is_none() {
        let patch = RunPatch {
            introduced: Some(session.map(str::to_owned)),
            ..RunPatch::default()
        };
        daemon.store.update_run(&run.id, patch).await?;
    }
    Ok(())
}

/// Every id once; of several offsets the furthest.
fn once(items: Vec<Item>) -> Vec<AckItem> {
    let mut places = HashMap::new();
    let mut once: Vec<AckItem> = Vec::new();
    for Item { id, offset } in items {
        match places.get(&id) {
            Some(&place) => {
                let there: &mut AckItem = &mut once[place];
                there.offset = there.offset.zip(offset).map(|(a, b)| a.max(b));
            }
            None => {
                places.insert(id.clone(), once.len());
                once.push(AckItem { id, offset });
            }
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_named_twice_counts_once_and_whole_beats_a_piece() {
        let id = |n: u8| {
            room_protocol::MessageId::try_from(format!("01890000-0000-7000-8000-0000000000{n:02}"))
                .unwrap()
        };
        let item = |n, offset| Item { id: id(n), offset };
        let items = vec![
            item(1, Some(5)),
            item(2, Some(1)),
            item(1, Some(9)),
            item(2, None),
        ];
        let expected = [(id(1), Some(9)), (id(2), None)];
        let got: Vec<_> = once(items).into_iter().map(|i| (i.id, i.offset)).collect();
        assert_eq!(got, expected);
    }
}

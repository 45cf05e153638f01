//! What a run's hooks say.

use room_protocol::lane::{Acknowledge, Acknowledged, Item, Lease, LeaseRequest, Sign};
use room_protocol::operator::OpenedRun;
use room_protocol::{How, Proof, ProofKind, RunId};

use super::{Answer, Client, House};

/// A run, speaking on the run lane.
#[derive(Clone)]
pub struct RunClient {
    pub lane: Client,
    pub opened: OpenedRun,
}

impl RunClient {
    pub fn new(house: &House, opened: OpenedRun) -> Self {
        let bearer = format!("Bearer {}", opened.credential);
        Self {
            lane: house.lane().with("authorization", &bearer),
            opened,
        }
    }

    pub fn id(&self) -> &RunId {
        &self.opened.run.id
    }

    pub async fn asks(&self, request: &LeaseRequest) -> Answer {
        self.lane.post("/v1/run/leases", request).await
    }

    pub async fn leases(&self, request: &LeaseRequest) -> Lease {
        self.asks(request).await.is(200)
    }

    pub async fn acknowledges(&self, ack: &Acknowledge) -> Acknowledged {
        self.lane.post("/v1/run/deliveries", ack).await.is(200)
    }

    pub async fn says(&self, sign: &Sign) {
        let answer = self.lane.post("/v1/run/heartbeat", sign).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    /// Takes everything that waits in one go, in session `s`, at the batch `mark`.
    pub async fn takes(&self, mark: &str) -> Lease {
        let printed = proof(ProofKind::Batch, mark);
        let got = self
            .leases(&lease(sign("PostToolBatch", Some(printed.clone()))))
            .await;
        self.acknowledges(&ack(&got, printed)).await;
        got
    }
}

pub fn proof(kind: ProofKind, mark: &str) -> Proof {
    Proof {
        kind,
        mark: mark.to_owned(),
    }
}

/// A sign in session `s`.
pub fn sign(event: &str, proof: Option<Proof>) -> Sign {
    Sign {
        event: event.to_owned(),
        session: Some("s".to_owned()),
        proof,
        ..Sign::default()
    }
}

/// A question for all that fits into one context.
pub fn lease(sign: Sign) -> LeaseRequest {
    LeaseRequest {
        budget: 8_000,
        sign,
        ..LeaseRequest::default()
    }
}

/// Acknowledges all that a lease has, relayed in session `s`.
pub fn ack(lease: &Lease, printed: Proof) -> Acknowledge {
    Acknowledge {
        lease: lease.lease.clone(),
        how: How::Relayed,
        session: Some("s".to_owned()),
        printed: Some(printed),
        items: lease
            .messages
            .iter()
            .map(|w| Item {
                id: w.message.id.clone(),
                offset: None,
            })
            .collect(),
        introduced: false,
    }
}

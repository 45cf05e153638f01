//! Acknowledgements: never a trap.

use std::fs;

use room_protocol::lane::{Acknowledge, Acknowledged, Item};
use room_protocol::{How, MessageId, ProblemKind, ProofKind, Status};

use crate::kit::{House, RunClient, ack, lease, on_both, proof, sign};

on_both!(
    it_is_idempotent,
    it_is_valid_whatever_became_of_lease_and_message,
    it_is_valid_after_the_end_while_the_directory_exists,
    what_was_never_its_own_is_refused_by_name,
    a_later_moment_of_the_same_session_confirms,
    what_a_run_without_hooks_read_itself_is_confirmed_at_once,
    what_a_run_with_hooks_read_itself_waits_for_its_proof,
);

async fn shown(run: &RunClient) -> Acknowledge {
    let got = run.leases(&lease(sign("PostToolBatch", None))).await;
    ack(&got, proof(ProofKind::Batch, "t1"))
}

fn settled(ids: &[Item]) -> Acknowledged {
    Acknowledged {
        settled: ids.iter().map(|i| i.id.clone()).collect(),
        ..Acknowledged::default()
    }
}

async fn it_is_idempotent(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let mut ack = shown(&run).await;
    assert_eq!(run.acknowledges(&ack).await, settled(&ack.items));
    let first = house.message(1).await;
    assert_eq!(first.status, Status::Taken);
    assert_eq!(first.deliveries.len(), 1);
    assert_eq!(first.deliveries[0].how, How::Relayed);
    ack.items.push(ack.items[0].clone());
    ack.how = How::Read;
    assert_eq!(run.acknowledges(&ack).await, settled(&ack.items[..1]));
    assert_eq!(house.message(1).await, first);
    ack.items.clear();
    assert_eq!(run.acknowledges(&ack).await, Acknowledged::default());
}

async fn it_is_valid_whatever_became_of_lease_and_message(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let mut ack = shown(&run).await;
    let path = format!("/v1/run/leases/{}", ack.lease.as_ref().unwrap());
    run.lane.delete(&path).await;
    let withdrawn = house
        .operator
        .post("/v1/rooms/demo/messages/1/withdraw", &())
        .await;
    assert_eq!(withdrawn.status, 200, "{}", withdrawn.text());
    assert_eq!(run.acknowledges(&ack).await.settled.len(), 1);
    ack.lease = Some("no lease of this world".to_owned());
    assert_eq!(run.acknowledges(&ack).await.settled.len(), 1);
}

async fn it_is_valid_after_the_end_while_the_directory_exists(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let ack = shown(&run).await;
    house.end_run(&run).await;
    assert_eq!(run.acknowledges(&ack).await, settled(&ack.items));
    run.asks(&lease(sign("Stop", None)))
        .await
        .problem(ProblemKind::Unauthorized);
    for path in ["/v1/run", "/v1/run/messages", "/v1/run/room/messages"] {
        run.lane.get(path).await.problem(ProblemKind::Unauthorized);
    }
    let post = serde_json::json!({"body": "late"});
    run.lane
        .post("/v1/run/messages", &post)
        .await
        .problem(ProblemKind::Unauthorized);
    let heartbeat = sign("Stop", None);
    run.lane
        .post("/v1/run/heartbeat", &heartbeat)
        .await
        .problem(ProblemKind::Unauthorized);
    run.lane
        .delete("/v1/run/leases/x")
        .await
        .problem(ProblemKind::Unauthorized);
    assert!(fs::exists(house.layout.run_dir(run.id())).unwrap());
}

async fn what_was_never_its_own_is_refused_by_name(house: House) {
    let run = house.run("claude").await;
    let other = house.run("codex").await;
    house.post("m").await;
    let mut ack = shown(&run).await;
    let to = serde_json::json!({"body": "for codex", "as": "ana", "to": other.id()});
    let foreign: room_protocol::Message = house
        .operator
        .post("/v1/rooms/demo/messages", &to)
        .await
        .is(201);
    let nobody = MessageId::try_from("01890000-0000-7000-8000-000000000001".to_owned()).unwrap();
    for id in [&foreign.id, &nobody] {
        ack.items.push(Item {
            id: id.clone(),
            offset: None,
        });
    }
    let acked = run.acknowledges(&ack).await;
    assert_eq!(acked.settled, [ack.items[0].id.clone()]);
    assert_eq!(
        (acked.refused, acked.unknown),
        (vec![foreign.id], vec![nobody])
    );
    assert_eq!(house.message(2).await.status, Status::Queued);
    let many = vec![ack.items[0].clone(); room_protocol::limits::ITEMS + 1];
    let ack = Acknowledge { items: many, ..ack };
    run.lane
        .post("/v1/run/deliveries", &ack)
        .await
        .problem(ProblemKind::TooLarge);
}

async fn a_later_moment_of_the_same_session_confirms(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    run.takes("t1").await;
    let confirmed = async || house.message(1).await.deliveries[0].confirmed;
    for proves_nothing in [
        sign("PostToolBatch", Some(proof(ProofKind::Batch, "t1"))),
        sign("UserPromptSubmit", Some(proof(ProofKind::Prompt, "p"))),
        sign("Stop", None),
    ] {
        run.says(&proves_nothing).await;
        assert!(!confirmed().await, "{proves_nothing:?}");
    }
    let mut subagent = sign("PostToolBatch", Some(proof(ProofKind::Batch, "t2")));
    subagent.agent_id = Some("a".to_owned());
    run.says(&subagent).await;
    assert!(!confirmed().await, "a subagent proves nothing");
    run.leases(&lease(sign(
        "PostToolBatch",
        Some(proof(ProofKind::Batch, "t2")),
    )))
    .await;
    assert!(confirmed().await);
}

/// What `room read` says: which session it is knows only who has hooks.
async fn reads(run: &RunClient) {
    let mut sign = sign("read", None);
    sign.session = None;
    let got = run.leases(&lease(sign)).await;
    let ack = Acknowledge {
        how: How::Read,
        session: None,
        ..ack(&got, proof(ProofKind::Read, "r"))
    };
    assert_eq!(run.acknowledges(&ack).await, settled(&ack.items));
}

async fn what_a_run_without_hooks_read_itself_is_confirmed_at_once(house: House) {
    let run = house.run("bash").await;
    house.post("m").await;
    reads(&run).await;
    assert!(house.message(1).await.deliveries[0].confirmed);
    house.end_run(&run).await;
    let next = house.run("bash").await;
    assert_eq!(house.run_of(&next).await.unread, 0);
}

async fn what_a_run_with_hooks_read_itself_waits_for_its_proof(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    run.says(&sign("SessionStart", None)).await;
    reads(&run).await;
    let confirmed = async || house.message(1).await.deliveries[0].confirmed;
    assert!(!confirmed().await);
    run.says(&sign("Stop", Some(proof(ProofKind::Stop, "1"))))
        .await;
    assert!(confirmed().await);
}

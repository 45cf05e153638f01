//! Leases: one per run, five seconds, whole messages within a budget.

use room_protocol::lane::{Lease, LeaseRequest, Peek, Sign};
use room_protocol::{ProblemKind, ProofKind, RunState};
use roomd::Limits;
use serde_json::json;

use crate::kit::{House, ack, lease, on_both, proof, sign};

on_both!(
    what_waits_is_leased_in_order,
    a_held_lease_is_refused_taken_over_given_back,
    an_acknowledgement_of_all_ends_the_lease_it_does_not_name,
    the_budget_bounds_and_the_first_comes_whatever_its_size,
    a_long_message_goes_on_where_this_session_left_it,
    a_subagent_takes_nothing,
    an_opening_brings_the_conversation,
    an_opening_begins_with_the_newest_that_fit,
    an_opening_without_history_brings_none,
    it_is_told_how_many_of_those_that_wait_a_person_wrote,
    what_names_no_lease_is_refused,
    the_room_is_explained_once_a_session,
    a_stop_with_messages_is_work_until_given_back,
);

async fn what_waits_is_leased_in_order(house: House) {
    let run = house.run("claude").await;
    let empty = run.leases(&lease(sign("PostToolBatch", None))).await;
    assert_eq!((empty.lease, empty.waiting), (None, 0));
    for n in 1..=3 {
        house.post(&format!("m{n}")).await;
    }
    let posted = run
        .lane
        .post("/v1/run/messages", &json!({"body": "own"}))
        .await;
    assert_eq!(posted.status, 201);
    let got = run.leases(&lease(sign("PostToolBatch", None))).await;
    let bodies: Vec<_> = got
        .messages
        .iter()
        .map(|w| w.message.body.as_str())
        .collect();
    assert_eq!(bodies, ["m1", "m2", "m3"]);
    assert_eq!(got.waiting, 3);
    let left = got
        .expires_at
        .unwrap()
        .since(room_protocol::Timestamp::now());
    assert!(
        left.as_millis() > 4_000 && left.as_millis() <= 5_000,
        "{left:?}"
    );
    assert_eq!((got.history.len(), got.history_total), (0, 0));
}

async fn a_held_lease_is_refused_taken_over_given_back(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let ask = lease(sign("PostToolBatch", None));
    let first = run.leases(&ask).await;
    run.asks(&ask).await.problem(ProblemKind::LeaseHeld);
    let take_over = LeaseRequest {
        takeover: true,
        ..ask.clone()
    };
    let second = run.leases(&take_over).await;
    assert_ne!(first.lease, second.lease);
    assert_eq!(second.messages, first.messages);
    let path = |l: &Lease| format!("/v1/run/leases/{}", l.lease.as_ref().unwrap());
    assert_eq!(
        run.lane.delete(&path(&first)).await.status,
        204,
        "long gone"
    );
    run.asks(&ask).await.problem(ProblemKind::LeaseHeld);
    assert_eq!(run.lane.delete(&path(&second)).await.status, 204);
    let third = run.leases(&ask).await;
    assert_eq!(third.messages, first.messages, "given back unshown");
    let foreign = house.run("codex").await;
    assert_eq!(foreign.lane.delete(&path(&third)).await.status, 204);
    run.asks(&ask).await.problem(ProblemKind::LeaseHeld);
}

async fn an_acknowledgement_of_all_ends_the_lease_it_does_not_name(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let ask = lease(sign("PostToolBatch", None));
    let got = run.leases(&ask).await;
    let mut unnamed = ack(&got, proof(ProofKind::Batch, "t"));
    unnamed.lease = None;
    run.acknowledges(&unnamed).await;
    house.post("next").await;
    assert_eq!(run.leases(&ask).await.messages[0].message.body, "next");
}

async fn the_budget_bounds_and_the_first_comes_whatever_its_size(house: House) {
    let run = house.run("claude").await;
    for size in [9_000, 100, 100] {
        house.post(&"x".repeat(size)).await;
    }
    let ask = lease(sign("PostToolBatch", None));
    let got = run.leases(&ask).await;
    assert_eq!((got.messages.len(), got.waiting), (1, 3));
    run.acknowledges(&ack(&got, proof(ProofKind::Batch, "t")))
        .await;
    let small = LeaseRequest {
        budget: 150,
        ..ask.clone()
    };
    let got = run.leases(&small).await;
    assert_eq!((got.messages.len(), got.waiting), (1, 2));
    run.acknowledges(&ack(&got, proof(ProofKind::Batch, "t")))
        .await;
    let huge = LeaseRequest {
        budget: u32::MAX,
        ..ask
    };
    assert_eq!(run.leases(&huge).await.messages.len(), 1);
}

async fn a_long_message_goes_on_where_this_session_left_it(house: House) {
    let run = house.run("claude").await;
    house.post(&"x".repeat(9_000)).await;
    let ask = lease(sign("PostToolBatch", None));
    let got = run.leases(&ask).await;
    let mut part = ack(&got, proof(ProofKind::Batch, "t"));
    part.items[0].offset = Some(4_000);
    let acked = run.acknowledges(&part).await;
    assert_eq!((acked.partial.len(), acked.settled.len()), (1, 0));
    let got = run.leases(&ask).await;
    assert_eq!((got.messages[0].offset, got.waiting), (4_000, 1));
    let fresh = LeaseRequest {
        fresh: true,
        takeover: true,
        ..ask
    };
    assert_eq!(run.leases(&fresh).await.messages[0].offset, 0);
}

async fn a_subagent_takes_nothing(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let subagent = Sign {
        agent_id: Some("a1".to_owned()),
        session: Some("other".to_owned()),
        tool: Some("Bash".to_owned()),
        ..sign("PostToolUse", Some(proof(ProofKind::Tool, "t")))
    };
    let got = run
        .leases(&LeaseRequest {
            takeover: true,
            ..lease(subagent)
        })
        .await;
    assert_eq!((got.messages.len(), got.lease, got.waiting), (0, None, 1));
    let seen = house.run_of(&run).await;
    assert_eq!(
        (seen.session, seen.last_tool, seen.state),
        (None, None, RunState::Starting)
    );
}

async fn an_opening_brings_the_conversation(house: House) {
    let before = house.run("claude").await;
    for n in 1..=5 {
        house.post(&format!("{n}{}", "x".repeat(99))).await;
    }
    before.takes("t1").await;
    house.post("waits").await;
    let run = house.run("codex").await;
    let start = sign("SessionStart", Some(proof(ProofKind::Start, "")));
    let ask = LeaseRequest {
        opening: true,
        budget: 304,
        ..lease(start)
    };
    let got = run.leases(&ask).await;
    let waits: Vec<_> = got.messages.iter().map(|w| w.message.number).collect();
    assert_eq!((waits.as_slice(), got.waiting), (&[6][..], 1));
    let history: Vec<_> = got.history.iter().map(|m| m.number).collect();
    assert_eq!((history.as_slice(), got.history_total), (&[3, 4, 5][..], 6));
    house.post(&"y".repeat(400)).await;
    let both = LeaseRequest {
        takeover: true,
        ..ask
    };
    let got = run.leases(&both).await;
    assert_eq!(
        (got.messages.len(), got.waiting, got.history.len()),
        (2, 2, 3),
        "one that is too long keeps nothing away"
    );
}

async fn an_opening_begins_with_the_newest_that_fit(house: House) {
    let other = house.run("claude").await;
    for _ in 0..60 {
        house.post(&"x".repeat(900)).await;
    }
    let run = house.run("codex").await;
    // The newest of all is not among what waits: whoever is told of the newest is told of it too.
    let post = json!({"body": "for claude", "as": "ana", "to": other.id()});
    house.operator.post("/v1/rooms/demo/messages", &post).await;
    let start = lease(sign("SessionStart", Some(proof(ProofKind::Start, ""))));
    let got = run
        .leases(&LeaseRequest {
            opening: true,
            ..start.clone()
        })
        .await;
    let numbers = |got: &Lease| -> Vec<u64> {
        let numbers = got.messages.iter().map(|w| w.message.number);
        numbers.collect()
    };
    assert_eq!(numbers(&got), (53..=60).collect::<Vec<_>>());
    assert_eq!((got.waiting, got.history_total), (60, 61));
    let history: Vec<_> = got.history.iter().map(|m| m.number).collect();
    assert_eq!(history, [61], "nothing older than what waits");
    let told = room_protocol::frame::context(&room_protocol::frame::Context {
        room: &got.messages[0].message.room,
        run: Some(run.id()),
        purpose: room_protocol::frame::Purpose::Opening,
        introduce: got.introduce,
        waiting: &got.messages,
        waiting_total: got.waiting,
        history: &got.history,
        history_total: got.history_total,
        budget: 8_000,
    })
    .unwrap();
    let count = told.shown.len() + 1;
    let head = format!("the newest {count} of 61 messages");
    assert!(told.text.contains(&head), "{}", told.text);
    let next = run
        .leases(&LeaseRequest {
            takeover: true,
            ..start
        })
        .await;
    assert_eq!(numbers(&next)[0], 1, "what is older comes in its order");
}

async fn it_is_told_how_many_of_those_that_wait_a_person_wrote(house: House) {
    let run = house.run("claude").await;
    let agent = json!({"body": "m", "as": "bot", "kind": "agent"});
    for _ in 0..3 {
        let posted = house.operator.post("/v1/rooms/demo/messages", &agent).await;
        assert_eq!(posted.status, 201);
    }
    let ask = LeaseRequest {
        budget: 1,
        takeover: true,
        ..lease(sign("Stop", None))
    };
    assert_eq!(run.leases(&ask).await.people, 0);
    house.post("n").await;
    let got = run.leases(&ask).await;
    assert_eq!((got.messages.len(), got.waiting, got.people), (1, 4, 1));
    let peek: Peek = run.lane.get("/v1/run/messages?limit=1").await.is(200);
    assert_eq!((peek.waiting, peek.people), (4, 1));
}

async fn what_names_no_lease_is_refused(house: House) {
    let run = house.run("claude").await;
    for name in ["%2e%2e", "%00", "a%2fb", "a-b"] {
        let path = format!("/v1/run/leases/{name}");
        let answer = run.lane.delete(&path).await;
        answer.problem(ProblemKind::InvalidRequest);
    }
    assert_eq!(run.lane.delete("/v1/run/leases/0a1b").await.status, 204);
}

async fn an_opening_without_history_brings_none(house: House) {
    let before = house.run("claude").await;
    house.post("old").await;
    before.takes("t1").await;
    let ask = json!({"room": "demo", "cli": "codex", "history": false});
    let opened = house.operator.post("/v1/runs", &ask).await.is(201);
    let run = crate::kit::RunClient::new(&house, opened);
    let start = sign("SessionStart", Some(proof(ProofKind::Start, "")));
    let got = run
        .leases(&LeaseRequest {
            opening: true,
            ..lease(start)
        })
        .await;
    assert_eq!((got.history.len(), got.messages.len()), (0, 0));
}

async fn the_room_is_explained_once_a_session(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    let ask = lease(sign("PostToolBatch", None));
    let got = run.leases(&ask).await;
    assert!(got.introduce);
    let mut explained = ack(&got, proof(ProofKind::Batch, "t"));
    explained.introduced = true;
    run.acknowledges(&explained).await;
    assert!(!run.leases(&ask).await.introduce);
    let elsewhere = lease(Sign {
        session: Some("s2".to_owned()),
        ..ask.sign.clone()
    });
    assert!(run.leases(&elsewhere).await.introduce, "another session");
    assert!(!run.leases(&ask).await.introduce);
    let fresh = LeaseRequest {
        fresh: true,
        ..ask.clone()
    };
    assert!(
        run.leases(&fresh).await.introduce,
        "its context was emptied"
    );
    assert!(run.leases(&ask).await.introduce);
    let without_messages = room_protocol::lane::Acknowledge {
        items: Vec::new(),
        lease: None,
        introduced: true,
        ..explained
    };
    run.acknowledges(&without_messages).await;
    assert!(!run.leases(&ask).await.introduce);
}

async fn a_stop_with_messages_is_work_until_given_back(house: House) {
    let run = house.run("claude").await;
    let stop = lease(sign("Stop", Some(proof(ProofKind::Stop, "1"))));
    run.leases(&stop).await;
    assert_eq!(house.run_of(&run).await.state, RunState::Idle);
    house.post("m").await;
    let got = run.leases(&stop).await;
    assert_eq!(house.run_of(&run).await.state, RunState::Working);
    run.lane
        .delete(&format!("/v1/run/leases/{}", got.lease.unwrap()))
        .await;
    assert_eq!(house.run_of(&run).await.state, RunState::Idle);
    let got = run.leases(&stop).await;
    let mut gated = ack(&got, proof(ProofKind::Stop, "1"));
    gated.how = room_protocol::How::Gated;
    run.acknowledges(&gated).await;
    assert_eq!(
        house.run_of(&run).await.state,
        RunState::Working,
        "it was held"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_nobody_ends_ends_by_itself() {
    // The connection outlives the jump in time.
    let house = House::limited(Limits {
        lane_header_timeout: room_protocol::limits::LEASE * 2,
        ..Limits::default()
    })
    .await;
    let run = house.run("claude").await;
    house.post("m").await;
    let ask = lease(sign("PostToolBatch", None));
    run.leases(&ask).await;
    run.asks(&ask).await.problem(ProblemKind::LeaseHeld);
    tokio::time::advance(room_protocol::limits::LEASE).await;
    assert_eq!(run.leases(&ask).await.messages.len(), 1);
}

//! Signs of life.

use room_protocol::lane::{Heard, Sign};
use room_protocol::{Run, RunState};

use crate::kit::{House, on_both, sign};

on_both!(
    a_sign_is_seen,
    words_are_cut,
    a_session_is_kept,
    a_resumed_session_takes_its_messages_again
);

async fn a_sign_is_seen(house: House) {
    let run = house.run("bash").await;
    let tool = Sign {
        tool: Some("Bash".to_owned()),
        cli: Some("claude".to_owned()),
        ..sign("PostToolUse", None)
    };
    house.post("m").await;
    let heard: Heard = run.lane.post("/v1/run/heartbeat", &tool).await.is(200);
    assert_eq!(heard.waiting, 1);
    let seen: Run = run.lane.get("/v1/run").await.is(200);
    assert_eq!(seen, house.run_of(&run).await);
    assert_eq!((seen.state, seen.unread), (RunState::Working, 1));
    assert_eq!(seen.last_tool.as_deref(), Some("Bash"));
    assert_eq!(
        (seen.cli.as_str(), seen.session.as_deref()),
        ("claude", Some("s"))
    );
    let process = Sign {
        event: "process".to_owned(),
        ..Sign::default()
    };
    run.says(&process).await;
    let later = house.run_of(&run).await;
    assert!(later.alive_at >= seen.alive_at);
    assert_eq!(later.active_at, seen.active_at);
}

async fn words_are_cut(house: House) {
    let run = house.run("claude").await;
    let long = Sign {
        tool: Some("ü".repeat(200)),
        session: Some("s".repeat(300)),
        ..sign("PostToolUse", None)
    };
    run.says(&long).await;
    let seen = house.run_of(&run).await;
    assert_eq!(seen.last_tool, Some("ü".repeat(128)));
    assert_eq!(seen.session, Some("s".repeat(256)));
}

async fn a_session_is_kept(house: House) {
    let run = house.run("claude").await;
    run.says(&sign("SessionStart", None)).await;
    let without = Sign {
        session: None,
        ..sign("PostToolUse", None)
    };
    run.says(&without).await;
    let process = Sign {
        event: "process".to_owned(),
        session: Some("p".to_owned()),
        ..Sign::default()
    };
    run.says(&process).await;
    assert_eq!(house.run_of(&run).await.session.as_deref(), Some("s"));
}

async fn a_resumed_session_takes_its_messages_again(house: House) {
    let first = house.run("claude").await;
    house.post("m").await;
    first.takes("t1").await;
    house.end_run(&first).await;
    let stranger = house.run("claude").await;
    assert_eq!(
        house.run_of(&stranger).await.unread,
        1,
        "it went back to the queue"
    );
    house.end_run(&stranger).await;
    let resuming = house.run("claude").await;
    let before = house.run_of(&resuming).await;
    assert_eq!(before.unread, 1);
    resuming.says(&sign("SessionStart", None)).await;
    assert_eq!(
        house.run_of(&resuming).await.unread,
        0,
        "this session was shown it"
    );
}

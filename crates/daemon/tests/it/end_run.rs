//! Ending a run.

use std::fs;
use std::time::Duration;

use room_protocol::{ProblemKind, Run, RunState};
use roomd::Limits;
use serde_json::json;

use crate::kit::{House, lease, on_both, sign, until};

on_both!(it_ends_once, its_lease_ends_with_it);

async fn it_ends_once(house: House) {
    let run = house.run("claude").await;
    let path = format!("/v1/runs/{}/end", run.id());
    let ended: Run = house
        .operator
        .post(&path, &json!({"exit_code": 130}))
        .await
        .is(200);
    assert_eq!(
        (ended.state, ended.exit_code, ended.unread),
        (RunState::Ended, Some(130), 0)
    );
    assert!(ended.ended_at.is_some());
    let again: Run = house
        .operator
        .post(&path, &json!({"exit_code": 0}))
        .await
        .is(200);
    assert_eq!(again, ended);
    let bare: Run = house
        .operator
        .send(hyper::Method::POST, &path, None)
        .await
        .is(200);
    assert_eq!(bare, ended, "a body is not needed");
    assert_eq!(house.run_of(&run).await, ended);
    house
        .operator
        .post(&path, &json!({"exit": 1}))
        .await
        .problem(ProblemKind::InvalidRequest);
    house
        .operator
        .post("/v1/runs/demo-none/end", &json!({}))
        .await
        .problem(ProblemKind::NotFound);
}

async fn its_lease_ends_with_it(house: House) {
    let run = house.run("claude").await;
    house.post("m").await;
    run.leases(&lease(sign("PostToolBatch", None))).await;
    assert!(
        house
            .operator
            .get("/v1/metrics")
            .await
            .text()
            .contains("roomd_leases_held 1")
    );
    house.end_run(&run).await;
    assert!(
        house
            .operator
            .get("/v1/metrics")
            .await
            .text()
            .contains("roomd_leases_held 0")
    );
    let withdrawn = house
        .operator
        .post("/v1/rooms/demo/messages/1/withdraw", &())
        .await;
    assert_eq!(withdrawn.status, 200);
}

#[tokio::test]
async fn its_directory_is_removed_some_time_later_and_links_are_not_followed() {
    let house = House::limited(Limits {
        run_dir_kept: Duration::from_millis(1),
        sweep: Duration::from_millis(20),
        ..Limits::default()
    })
    .await;
    let live = house.run("claude").await;
    let run = house.run("codex").await;
    let dir = house.layout.run_dir(run.id());
    let elsewhere = house.layout.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("kept"), "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, dir.join("link")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, dir.join("outbox/link")).unwrap();
    house.end_run(&run).await;
    until("the directory is gone", || async {
        !fs::exists(&dir).unwrap()
    })
    .await;
    assert!(fs::exists(elsewhere.join("kept")).unwrap());
    assert!(fs::exists(house.layout.run_dir(live.id())).unwrap());
    until("its credential is void", || async {
        run.lane.get("/v1/run").await.status == 401
    })
    .await;
}

//! Ending a run.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use room_protocol::{ProblemKind, Run, RunState};
use roomd::{Limits, StoreChoice};
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

/// A directory as a daemon leaves it that dies while it opens a run, and so long ago.
fn stray(dir: &Path, hours: u64) {
    fs::create_dir_all(dir.join("outbox")).unwrap();
    fs::write(dir.join("run.json"), "{}").unwrap();
    fs::set_permissions(dir, Permissions::from_mode(0o700)).unwrap();
    age(dir, hours);
}

fn age(dir: &Path, hours: u64) {
    let then = SystemTime::now() - Duration::from_secs(hours * 3_600);
    File::open(dir).unwrap().set_modified(then).unwrap();
}

#[tokio::test]
async fn the_directory_of_a_run_that_never_came_to_be_is_removed_and_nothing_else() {
    let often = Limits {
        sweep: Duration::from_millis(20),
        ..Limits::default()
    };
    let house = House::with(StoreChoice::Sqlite, often).await;
    let runs = house.layout.runs_dir();
    let live = house.run("claude").await;
    age(&house.layout.run_dir(live.id()), 48);
    stray(&runs.join("demo-young"), 1);
    stray(&runs.join("demo-other"), 48);
    fs::write(runs.join("demo-other/thesis.txt"), "").unwrap();
    age(&runs.join("demo-other"), 48);
    stray(&runs.join("demo-open"), 48);
    fs::set_permissions(runs.join("demo-open"), Permissions::from_mode(0o755)).unwrap();
    let elsewhere = house.layout.home().join("elsewhere");
    stray(&elsewhere, 48);
    std::os::unix::fs::symlink(&elsewhere, runs.join("demo-link")).unwrap();
    // The last, since sweeps go on.
    stray(&runs.join("demo-stray"), 48);
    until("it is removed", || async {
        !fs::exists(runs.join("demo-stray")).unwrap()
    })
    .await;
    // Another whole sweep.
    stray(&runs.join("demo-again"), 48);
    until("it is removed too", || async {
        !fs::exists(runs.join("demo-again")).unwrap()
    })
    .await;
    for kept in ["demo-young", "demo-other", "demo-open", "demo-link"] {
        assert!(fs::exists(runs.join(kept)).unwrap(), "{kept}");
    }
    assert!(fs::exists(elsewhere.join("run.json")).unwrap());
    assert!(fs::exists(house.layout.run_dir(live.id())).unwrap());
}

#[tokio::test]
async fn a_store_beside_the_database_does_not_judge_what_runs_there_are() {
    let mut house = House::with(StoreChoice::Sqlite, Limits::default()).await;
    let run = house.run("claude").await;
    let dir = house.layout.run_dir(run.id());
    house.end().await;
    age(&dir, 48);
    let often = Limits {
        run_dir_kept: Duration::from_millis(1),
        sweep: Duration::from_millis(20),
        ..Limits::default()
    };
    let house = house.again_with(StoreChoice::Memory, often).await;
    // When the second is gone, the sweep that removed the first is over.
    for _ in 0..2 {
        let own = house.run("claude").await;
        house.end_run(&own).await;
        until("it is swept", || async {
            !fs::exists(house.layout.run_dir(own.id())).unwrap()
        })
        .await;
    }
    assert!(fs::exists(&dir).unwrap());
}

//! Opening a run: its room, its name, its directory.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use room_protocol::operator::{OpenedRun, Room};
use room_protocol::runfile::{GitPolicy, RunFile};
use room_protocol::{ProblemKind, RunState};
use serde_json::json;

use crate::kit::{House, on_both};

on_both!(
    a_run_gets_its_room_and_its_directory,
    names_are_numbered_while_they_are_in_use,
    a_name_in_use_is_refused_and_nothing_is_left,
);

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

async fn a_run_gets_its_room_and_its_directory(house: House) {
    let ask = json!({
        "room": "demo.x", "cli": "claude", "name": "the agent", "git": "pushed",
        "history": false, "interval_ms": 500, "launched": true,
    });
    let opened: OpenedRun = house.operator.post("/v1/runs", &ask).await.is(201);
    let run = &opened.run;
    assert!(run.id.as_str().starts_with("demo-x-"), "{}", run.id);
    assert_eq!((run.state, run.unread), (RunState::Starting, 0));
    assert_eq!(opened.credential.len(), 64);
    let room: Room = house.operator.get("/v1/rooms/demo.x").await.is(200);
    assert_eq!(
        (room.live_runs, room.messages, room.last_number),
        (1, 0, None)
    );

    let dir = house.layout.run_dir(&run.id);
    assert_eq!(Path::new(&opened.dir), dir);
    assert_eq!(mode(&dir), 0o700);
    assert_eq!(mode(&dir.join("outbox")), 0o700);
    assert_eq!(mode(&dir.join("run.json")), 0o600);
    let file: RunFile = serde_json::from_slice(&fs::read(dir.join("run.json")).unwrap()).unwrap();
    let expected = RunFile {
        run: run.id.clone(),
        room: "demo.x".parse().unwrap(),
        name: "the agent".parse().unwrap(),
        credential: opened.credential.clone(),
        interval_ms: 500,
        git: GitPolicy::Pushed,
        history: false,
        launched: true,
        opened_at: run.opened_at,
    };
    assert_eq!(file, expected);
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["outbox", "run.json"], "nothing half-written stays");
}

async fn names_are_numbered_while_they_are_in_use(house: House) {
    let mut runs = Vec::new();
    for expected in ["claude", "claude-2", "claude-3"] {
        let run = house.run("claude").await;
        assert_eq!(run.opened.run.name.as_str(), expected);
        runs.push(run);
    }
    house.end_run(&runs[1]).await;
    let again = house.run("claude").await;
    assert_eq!(again.opened.run.name.as_str(), "claude-2");
    assert_eq!(house.run("codex").await.opened.run.name.as_str(), "codex");
}

async fn a_name_in_use_is_refused_and_nothing_is_left(house: House) {
    let ask = json!({"room": "demo", "cli": "claude", "name": "kim"});
    let first: OpenedRun = house.operator.post("/v1/runs", &ask).await.is(201);
    let detail = house
        .operator
        .post("/v1/runs", &ask)
        .await
        .problem(ProblemKind::Conflict);
    assert!(detail.contains("kim"), "{detail}");
    let dirs: Vec<_> = fs::read_dir(house.layout.runs_dir())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(dirs, [first.run.id.as_str()]);
}

#[tokio::test]
async fn twenty_at_once_get_twenty_names() {
    let house = House::open(crate::kit::Backend::Sqlite).await;
    let opening = (0..20).map(|_| {
        let operator = house.operator.clone();
        tokio::spawn(async move {
            let ask = json!({"room": "demo", "cli": "claude"});
            let opened: OpenedRun = operator.post("/v1/runs", &ask).await.is(201);
            opened.run.name.as_str().to_owned()
        })
    });
    let mut names = Vec::new();
    for task in opening.collect::<Vec<_>>() {
        names.push(task.await.unwrap());
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 20);
}

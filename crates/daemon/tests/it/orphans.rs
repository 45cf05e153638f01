//! Runs whose launcher was killed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use room_protocol::runfile::{GitPolicy, ProcessStat};
use room_protocol::{RoomName, RunId, Timestamp};
use room_store::{MemoryStore, NewRun, RunRecord, Store};
use roomd::{Config, Limits, StoreChoice};
use serde_json::{Value, json};

use crate::kit::until;

/// A run of which nothing was heard for so long.
async fn silent(store: &MemoryStore, id: &str, minutes: i64) -> RunId {
    let room: RoomName = "demo".parse().unwrap();
    let then = Timestamp::from_unix_ms(Timestamp::now().unix_ms() - minutes * 60_000);
    store.create_room(&room, then).await.unwrap();
    let mut credential_hash = [0; 32];
    credential_hash[..id.len()].copy_from_slice(id.as_bytes());
    let new = NewRun {
        id: id.parse().unwrap(),
        room,
        name: id.parse().unwrap(),
        cli: "claude".to_owned(),
        credential_hash,
        git: GitPolicy::Off,
        history: true,
        opened_at: then,
        floor: 0,
    };
    store.open_run(new).await.unwrap().id
}

fn note(runs: &Path, run: &RunId, note: &Value) {
    let dir = runs.join(run.as_str());
    fs::create_dir_all(&dir).unwrap();
    fs::set_permissions(runs, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(dir.join("process.json"), note.to_string()).unwrap();
}

#[tokio::test]
async fn a_run_whose_process_is_certainly_gone_ends() {
    let mut child = Command::new("true").spawn().unwrap();
    let gone = child.id();
    child.wait().unwrap();
    let own = std::process::id();
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let started = ProcessStat::parse(&stat).unwrap().start_ticks;

    let store = Arc::new(MemoryStore::new());
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    let runs = dir.path().join("runs");
    let link = runs.join("link");
    let mut ending = Vec::new();
    let mut staying = Vec::new();
    let mut case = async |id: &str, minutes: i64, what: Option<Value>, ends: bool| {
        let run = silent(&store, id, minutes).await;
        if let Some(what) = &what {
            note(&runs, &run, what);
        }
        if ends { &mut ending } else { &mut staying }.push(run);
    };
    case(
        "lives",
        10,
        Some(json!({"pid": own, "start_ticks": started})),
        false,
    )
    .await;
    case("unsaid", 10, Some(json!({"pid": own})), false).await;
    case(
        "heard",
        1,
        Some(json!({"pid": gone, "start_ticks": 1})),
        false,
    )
    .await;
    case("unlaunched", 10, None, false).await;
    case("garbage", 10, Some(json!("what?")), false).await;
    case("linked", 10, None, false).await;
    case("gone", 10, Some(json!({"pid": gone})), true).await;
    case(
        "again",
        10,
        Some(json!({"pid": own, "start_ticks": started + 1})),
        true,
    )
    .await;
    fs::create_dir(&link).unwrap();
    fs::write(link.join("process.json"), json!({"pid": gone}).to_string()).unwrap();
    std::os::unix::fs::symlink(&link, runs.join("linked")).unwrap();

    let config = Config {
        home: dir.path().to_owned(),
        store: StoreChoice::Given(store.clone()),
        limits: Limits {
            flush: Duration::from_millis(20),
            ..Limits::default()
        },
    };
    let running = roomd::start(config).await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(running.until(async {
        let _ = stopped.await;
    }));
    let record = async |run: &RunId| -> RunRecord { store.run(run).await.unwrap() };
    until("they have ended", || async {
        let mut all = true;
        for run in &ending {
            all &= record(run).await.ended_at.is_some();
        }
        all
    })
    .await;
    // Another one that ends shows that the others were looked at once more.
    note(&runs, &staying[1], &json!({"pid": gone}));
    until("the last one too", || async {
        record(&staying[1]).await.ended_at.is_some()
    })
    .await;
    for run in &ending {
        assert_eq!(record(run).await.exit_code, None);
    }
    for run in staying.iter().filter(|r| r.as_str() != "unsaid") {
        assert_eq!(record(run).await.ended_at, None, "{run}");
    }
    drop(stop);
    serving.await.unwrap();
}

//! What was answered is there, however the process went.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use room_protocol::Status;
use room_store::{SqliteStore, Store};

use crate::kit::*;

/// Where the child that is to be killed finds its store.
const CHILD: &str = "ROOM_STORE_KILLED_CHILD";

#[test]
fn a_killed_process_loses_nothing_that_was_answered() {
    if let Some(path) = std::env::var_os(CHILD) {
        return block_on(write_until_killed(&PathBuf::from(path)));
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    for round in 1..=4 {
        let answered = kill_after(&path, 40 * round);
        block_on(check(&path, answered));
    }
}

/// Starts a child that writes, kills it after so many answers, and answers the last number that it
/// was told of.
fn kill_after(path: &Path, answers: usize) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("sqlite::durable::a_killed_process_loses_nothing_that_was_answered")
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = lines
        .map(|line| line.unwrap())
        .filter_map(|line| line.strip_prefix("answered ").and_then(|n| n.parse().ok()));
    let last = told.nth(answers - 1).expect("the child ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    // What it had still said before it died counts too.
    told.last().unwrap_or(last)
}

/// Posts and acknowledges without end, telling each number that both were answered for.
async fn write_until_killed(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    demo(&store).await;
    let first = store.last_reserved().await.unwrap();
    let name = format!("r{first}");
    open(&store, &name, first).await;
    // What the one before had posted when it died, and not acknowledged.
    let left = numbers(&store, &name).await;
    store.acknowledge(shown(&name, &left)).await.unwrap();
    loop {
        let number = store.reserve_number().await.unwrap();
        post(&store, words(number)).await;
        store.acknowledge(shown(&name, &[number])).await.unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "answered {number}").unwrap();
        out.flush().unwrap();
    }
}

async fn check(path: &Path, answered: u64) {
    let store = SqliteStore::open(path).unwrap();
    let page = store.messages(all(&room("demo"))).await.unwrap();
    let numbers: Vec<u64> = page.messages.iter().map(|m| m.number).collect();
    assert!(page.total >= answered);
    assert_eq!(numbers, (1..=page.total).collect::<Vec<_>>());
    for message in page.messages.iter().filter(|m| m.number <= answered) {
        assert_eq!(message.body, format!("words {}", message.number));
        assert_eq!(message.status, Status::Taken);
        assert_eq!(message.deliveries.len(), 1);
    }
    // The events tell the same, and neither numbers nor cursors are given again.
    let events = store.events(0, None, usize::MAX).await.unwrap();
    let cursors: Vec<u64> = events.iter().map(|e| e.cursor).collect();
    assert_eq!(cursors, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(store.last_cursor().await.unwrap(), events.len() as u64);
    assert_eq!(*store.watch_events().borrow(), events.len() as u64);
    assert_eq!(store.last_reserved().await.unwrap(), page.total);
    store.close().await;
}

#[test]
fn numbers_and_cursors_go_on_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        post(&store, words(8)).await;
        post(&store, words(3)).await;
        drop(store);
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.last_reserved().await.unwrap(), 8);
        assert_eq!(store.reserve_number().await.unwrap(), 9);
        assert_eq!(*store.watch_events().borrow(), 2);
        post(&store, words(9)).await;
        assert_eq!(store.last_cursor().await.unwrap(), 3);
    });
}

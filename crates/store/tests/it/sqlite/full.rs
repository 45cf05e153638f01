//! A disk that takes no more.

use std::path::{Path, PathBuf};
use std::process::Command;

use room_store::{Error, NewMessage, SqliteStore, Store};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::kit::*;

/// Where the child that may write no large file finds its directory.
const CHILD: &str = "ROOM_STORE_FULL_CHILD";

/// The kernel refuses to let files grow (EFBIG), as it does where a quota is used up: for the child
/// alone, and until it asks for more.
#[test]
fn a_full_disk_is_told_and_nothing_is_half_written() {
    if let Some(dir) = std::env::var_os(CHILD) {
        return block_on(fill_up(&PathBuf::from(dir)));
    }
    let dir = tempfile::tempdir().unwrap();
    // An ignored signal stays ignored in the child; it would kill it before the write could fail.
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("sqlite::full::a_full_disk_is_told_and_nothing_is_half_written")
        .env(CHILD, dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    let cried = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{said}{cried}");
    assert!(said.contains("1 passed"), "{said}{cried}");
}

fn may_write(bytes: u64) {
    let hard = getrlimit(Resource::Fsize);
    let limit = Rlimit {
        current: Some(bytes),
        ..hard
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

async fn fill_up(dir: &Path) {
    let path = dir.join("room.db");
    let store = SqliteStore::open(&path).unwrap();
    demo(&store).await;
    open(&store, "r1", 0).await;
    may_write(400_000);
    let large = |number| NewMessage {
        body: "x".repeat(10_000),
        ..words(number)
    };
    // Many at once: those that fit together are written though others do not fit with them.
    let mut written = Vec::new();
    let mut refused = Vec::new();
    for batch in 0..12 {
        let batch = batch * 8 + 1..=batch * 8 + 8;
        let calls = batch
            .clone()
            .map(|number| store.append_messages(vec![large(number)]));
        for (number, answer) in batch.zip(together(calls).await) {
            match answer {
                Ok(_) => written.push(number),
                Err(Error::ResourceExhausted(text)) => {
                    assert!(
                        text.contains("room.db") && text.contains("nothing was written"),
                        "{text}"
                    );
                    refused.push(number);
                }
                Err(error) => panic!("{error:?}"),
            }
        }
    }
    assert!(
        written.len() > 8 && refused.len() > 8,
        "{written:?} {refused:?}"
    );
    let error = store.acknowledge(shown("r1", &written[..1])).await.err();
    assert!(
        matches!(error, None | Some(Error::ResourceExhausted(_))),
        "{error:?}"
    );
    if error.is_none() {
        written.remove(0);
    }
    // Reading goes on, and there is what was answered, and nothing else.
    assert_eq!(numbers(&store, "r1").await, written);
    let events = store.events(0, None, usize::MAX).await.unwrap().len();

    may_write(u64::from(u32::MAX));
    for number in refused {
        post(&store, large(number)).await;
        written.push(number);
    }
    written.sort_unstable();
    assert_eq!(numbers(&store, "r1").await, written);
    assert!(store.last_cursor().await.unwrap() > events as u64);

    store.close().await;
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(numbers(&store, "r1").await, written);
    store.close().await;
    let conn = rusqlite::Connection::open(&path).unwrap();
    let well: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(well, "ok");
}

#[test]
fn a_store_cannot_be_made_where_there_is_no_room() {
    const SMALL: &str = "ROOM_STORE_SMALL_CHILD";
    if let Some(dir) = std::env::var_os(SMALL) {
        may_write(2_000);
        let error = SqliteStore::open(&PathBuf::from(dir).join("room.db")).unwrap_err();
        assert!(matches!(error, Error::ResourceExhausted(_)), "{error:?}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("sqlite::full::a_store_cannot_be_made_where_there_is_no_room")
        .env(SMALL, dir.path())
        .output()
        .unwrap();
    assert!(
        child.status.success(),
        "{}",
        String::from_utf8_lossy(&child.stderr)
    );
    // Once there is room, the same path works.
    let path = dir.path().join("room.db");
    block_on(async { demo(&SqliteStore::open(&path).unwrap()).await });
}

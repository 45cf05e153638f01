use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use room_store::{Error, SqliteStore, Store};
use rusqlite::Connection;

use crate::kit::*;

/// What opening it says; the text names the file.
fn refusal(path: &Path) -> String {
    let error = SqliteStore::open(path).unwrap_err();
    assert!(
        matches!(error, Error::InvalidRequest(_) | Error::Internal(_)),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    text
}

#[test]
fn the_file_is_its_owners_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    let store = SqliteStore::open(&path).unwrap();
    block_on(demo(&store));
    for file in ["room.db", "room.db-wal", "room.db-shm"] {
        let mode = dir
            .path()
            .join(file)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_path_of_any_kind_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it's a \"room\" %20?mode=ro#süß.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        store.close().await;
    });
    assert!(path.exists());
}

#[test]
fn a_newer_file_is_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async { SqliteStore::open(&path).unwrap().close().await });
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    conn.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();
    let text = refusal(&path);
    assert!(
        text.contains("version 99") && text.contains("newer"),
        "{text}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_database_of_another_program_is_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("places.sqlite");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE place (x)").unwrap();
    drop(conn);
    let before = std::fs::read(&path).unwrap();
    let text = refusal(&path);
    assert!(text.contains("another program"), "{text}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_database_is_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    let words = "not a database, but somebody's notes\n".repeat(100);
    std::fs::write(&path, &words).unwrap();
    let text = refusal(&path);
    assert!(text.contains("not an SQLite database"), "{text}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), words);
}

#[test]
fn damage_is_told_with_the_files_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("room.db");
    block_on(async {
        let store = SqliteStore::open(&path).unwrap();
        demo(&store).await;
        store
            .append_messages((1..=200).map(words).collect())
            .await
            .unwrap();
        store.close().await;
    });
    // Everything but the header and the tables' definitions.
    let mut bytes = std::fs::read(&path).unwrap();
    let from = 4_096 * 3;
    assert!(bytes.len() > from * 2);
    bytes[from..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    block_on(async {
        let text = match SqliteStore::open(&path) {
            Ok(store) => store
                .messages(all(&room("demo")))
                .await
                .unwrap_err()
                .to_string(),
            Err(error) => error.to_string(),
        };
        assert!(
            text.contains(path.to_str().unwrap()) && text.contains("damaged"),
            "{text}"
        );
    });
}

#[test]
fn a_missing_directory_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let text = refusal(&dir.path().join("none/room.db"));
    assert!(text.contains("No such file or directory"), "{text}");
    refusal(dir.path());
}

#[test]
fn it_says_which_sqlite_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&dir.path().join("room.db")).unwrap();
    assert_eq!(
        store.describe(),
        format!("SQLite {}, tables version 1", rusqlite::version())
    );
    // 3.51.3 is the first whose WAL cannot be reset under a reader.
    assert!(rusqlite::version_number() >= 3_051_003);
}

#[test]
fn all_that_open_a_new_file_at_once_can() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..40 {
        let path = dir.path().join(format!("{round}.db"));
        let open = || SqliteStore::open(&path).map(drop);
        let failed: Vec<_> = std::thread::scope(|scope| {
            let all = [(); 4].map(|()| scope.spawn(open));
            all.into_iter()
                .filter_map(|one| one.join().unwrap().err())
                .collect()
        });
        assert!(failed.is_empty(), "{failed:?}");
    }
}

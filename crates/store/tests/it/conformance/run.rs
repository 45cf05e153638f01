use room_protocol::runfile::GitPolicy;
use room_store::{Error, NewRun, RunPatch, RunQuery, RunRecord, Store};

use crate::kit::*;

on_every_store!(
    a_run_keeps_what_it_was_opened_with,
    ids_and_live_names_are_used_once,
    a_room_must_be_there,
    a_credential_finds_its_live_run,
    runs_come_newest_first,
    a_patch_changes_what_it_names,
    an_unknown_run_is_not_found,
);

async fn a_run_keeps_what_it_was_opened_with(store: &dyn Store) {
    demo(store).await;
    let new = NewRun {
        name: "Ana María".parse().unwrap(),
        cli: "codex".to_owned(),
        git: GitPolicy::Pushed,
        history: false,
        ..newcomer("r1", 7)
    };
    let opened = store.open_run(new.clone()).await.unwrap();
    let expected = RunRecord {
        id: new.id,
        room: new.room,
        name: new.name,
        cli: new.cli,
        credential_hash: new.credential_hash,
        git: new.git,
        history: new.history,
        opened_at: at(7),
        ended_at: None,
        exit_code: None,
        session: None,
        introduced: None,
        alive_at: at(7),
        active_at: at(7),
        last_tool: None,
    };
    assert_eq!(opened, expected);
    assert_eq!(store.run(&run_id("r1")).await.unwrap(), expected);
}

async fn ids_and_live_names_are_used_once(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    open(store, "r1", 0).await;
    let cursor = store.last_cursor().await.unwrap();
    let same_id = NewRun {
        name: "other".parse().unwrap(),
        ..newcomer("r1", 0)
    };
    let same_name = NewRun {
        name: "r1".parse().unwrap(),
        ..newcomer("r2", 0)
    };
    for clash in [same_id, same_name.clone()] {
        let error = store.open_run(clash).await.unwrap_err();
        assert!(
            matches!(&error, Error::Conflict(text) if text.contains("r1")),
            "{error:?}"
        );
    }
    assert_eq!(store.last_cursor().await.unwrap(), cursor);
    let name = "r1".parse().unwrap();
    assert!(store.name_in_use(&room("demo"), &name).await.unwrap());
    assert!(!store.name_in_use(&room("api"), &name).await.unwrap());
    assert!(!store.name_in_use(&room("none"), &name).await.unwrap());
    // In another room, and once its owner has ended, the name is free; the id never is.
    store
        .open_run(NewRun {
            id: run_id("r3"),
            room: room("api"),
            ..same_name.clone()
        })
        .await
        .unwrap();
    end(store, "r1", 5).await;
    store.open_run(same_name).await.unwrap();
    let error = store.open_run(newcomer("r1", 0)).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error:?}");
}

async fn a_room_must_be_there(store: &dyn Store) {
    let error = store.open_run(newcomer("r1", 0)).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotFound(text) if text.contains("demo")),
        "{error:?}"
    );
    assert_eq!(store.runs(RunQuery::default()).await.unwrap(), []);
}

async fn a_credential_finds_its_live_run(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    open(store, "r2", 0).await;
    let hash = newcomer("r2", 0).credential_hash;
    let found = store.run_by_credential(&hash).await.unwrap();
    assert_eq!(found.map(|run| run.id), Some(run_id("r2")));
    assert_eq!(store.run_by_credential(&[0; 32]).await.unwrap(), None);
}

async fn runs_come_newest_first(store: &dyn Store) {
    demo(store).await;
    store.create_room(&room("api"), at(0)).await.unwrap();
    for (run, at_work) in [("z", "demo"), ("a", "api"), ("m", "demo"), ("b", "demo")] {
        store
            .open_run(NewRun {
                room: room(at_work),
                ..newcomer(run, 0)
            })
            .await
            .unwrap();
    }
    end(store, "m", 5).await;
    let list = async |at_work: Option<&str>, live, limit| {
        let query = RunQuery {
            room: at_work.map(room),
            live,
            limit,
        };
        let runs = store.runs(query).await.unwrap();
        runs.iter().map(|r| r.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(list(None, false, None).await, ["b", "m", "a", "z"]);
    assert_eq!(list(Some("demo"), false, None).await, ["b", "m", "z"]);
    assert_eq!(list(Some("demo"), true, None).await, ["b", "z"]);
    assert_eq!(list(None, true, Some(2)).await, ["b", "a"]);
    assert_eq!(list(None, true, Some(0)).await, [""; 0]);
    assert_eq!(list(Some("none"), false, None).await, [""; 0]);
}

async fn a_patch_changes_what_it_names(store: &dyn Store) {
    demo(store).await;
    open(store, "r1", 0).await;
    let run = run_id("r1");
    let before = store.run(&run).await.unwrap();
    assert_eq!(
        store.update_run(&run, RunPatch::default()).await.unwrap(),
        before
    );
    let all = RunPatch {
        cli: Some("codex".to_owned()),
        session: Some(Some("s".to_owned())),
        introduced: Some(Some("s".to_owned())),
        alive_at: Some(at(8)),
        active_at: Some(at(7)),
        last_tool: Some(Some("Bash".to_owned())),
    };
    let after = store.update_run(&run, all).await.unwrap();
    let expected = RunRecord {
        cli: "codex".to_owned(),
        session: Some("s".to_owned()),
        introduced: Some("s".to_owned()),
        alive_at: at(8),
        active_at: at(7),
        last_tool: Some("Bash".to_owned()),
        ..before
    };
    assert_eq!(after, expected);
    let cleared = RunPatch {
        session: Some(None),
        introduced: Some(None),
        last_tool: Some(None),
        ..RunPatch::default()
    };
    let after = store.update_run(&run, cleared).await.unwrap();
    let expected = RunRecord {
        session: None,
        introduced: None,
        last_tool: None,
        ..expected
    };
    assert_eq!(after, expected);
    assert_eq!(store.run(&run).await.unwrap(), expected);
}

async fn an_unknown_run_is_not_found(store: &dyn Store) {
    let nobody = run_id("nobody");
    let told = [
        store.run(&nobody).await.unwrap_err(),
        store
            .update_run(&nobody, RunPatch::default())
            .await
            .unwrap_err(),
    ];
    for error in told {
        assert!(
            matches!(&error, Error::NotFound(text) if text.contains("nobody")),
            "{error:?}"
        );
    }
}

//! The home: modes, owners, links, long paths.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use roomd::{Config, Limits, StartError, StoreChoice};

use crate::kit::{Backend, Client, House};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn config(home: &Path) -> Config {
    Config {
        home: home.to_owned(),
        store: StoreChoice::Memory,
        limits: Limits::default(),
    }
}

/// Why a home is refused.
async fn refused(home: &Path) -> String {
    match roomd::start(config(home)).await {
        Ok(_) => panic!("{} is served", home.display()),
        Err(error) => error.to_string(),
    }
}

async fn is_served(home: &Path) {
    let running = roomd::start(config(home)).await.unwrap();
    let operator = Client::new(&running.layout().operator_socket());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(running.until(async {
        let _ = stopped.await;
    }));
    assert_eq!(operator.get("/v1/health").await.status, 200);
    drop(stop);
    serving.await.unwrap();
}

#[tokio::test]
async fn everything_has_its_mode() {
    let house = House::open(Backend::Sqlite).await;
    let layout = &house.layout;
    for (path, expected) in [
        (layout.home().to_owned(), 0o700),
        (layout.runs_dir(), 0o700),
        (layout.lane_dir(), 0o755),
        (layout.operator_socket(), 0o600),
        (layout.lane_socket(), 0o666),
        (layout.daemon_lock(), 0o600),
        (layout.database(), 0o600),
        (layout.database().with_extension("db-wal"), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
    let mut names: Vec<_> = fs::read_dir(layout.home())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "lane",
        "room.db",
        "room.db-shm",
        "room.db-wal",
        "roomd.lock",
        "roomd.sock",
        "runs",
    ];
    assert_eq!(names, expected, "nothing temporary stays");
}

/// A directory with a mode, and a file in it for each of the names.
fn dir_with(path: &Path, bits: u32, files: &[&str]) {
    fs::create_dir_all(path).unwrap();
    for name in files {
        fs::write(path.join(name), "").unwrap();
    }
    fs::set_permissions(path, Permissions::from_mode(bits)).unwrap();
}

#[tokio::test]
async fn an_open_home_is_closed_where_it_is_empty_or_was_a_home_before() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&str, &[&str]); 4] = [
        ("deep/er/empty", &[]),
        ("being started", &["start.lock", "roomd.log"]),
        ("served", &["roomd.lock", "other"]),
        ("restored", &["room.db", "other"]),
    ];
    for (name, files) in cases {
        let home = dir.path().join(name);
        dir_with(&home, 0o777, files);
        is_served(&home).await;
        assert_eq!(mode(&home), 0o700, "{name}");
    }
}

#[tokio::test]
async fn an_open_directory_that_is_no_home_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let taken = dir.path().join("taken");
    dir_with(&taken, 0o755, &["thesis.txt", "start.lock", "roomd.log"]);
    let linked = dir.path().join("linked");
    symlink(&taken, &linked).unwrap();
    let shared = dir.path().join("shared");
    dir_with(&shared, 0o1777, &[]);
    let pretended = dir.path().join("pretended");
    dir_with(&pretended, 0o755, &["thesis.txt"]);
    symlink(taken.join("thesis.txt"), pretended.join("room.db")).unwrap();
    fs::create_dir(pretended.join("roomd.lock")).unwrap();
    for (home, bits) in [
        (&taken, 0o755),
        (&linked, 0o755),
        (&shared, 0o1777),
        (&pretended, 0o755),
    ] {
        let said = refused(home).await;
        let behind = fs::canonicalize(home).unwrap();
        for part in [
            behind.to_str().unwrap(),
            &format!("mode {bits:03o}"),
            "choose another ROOM_HOME",
            "chmod 700",
        ] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(mode(&behind), bits);
        let made = ["runs", "lane", "roomd.sock"].map(|name| home.join(name));
        assert!(made.iter().all(|path| !fs::exists(path).unwrap()), "{said}");
    }
}

#[tokio::test]
async fn a_closed_directory_is_used_whatever_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    for bits in [0o700, 0o2700] {
        let home = dir.path().join(format!("{bits:o}"));
        dir_with(&home, bits, &["notes"]);
        is_served(&home).await;
        assert_eq!(mode(&home), bits);
    }
}

#[tokio::test]
async fn what_is_named_like_a_part_of_a_home_is_left_as_it_is_where_it_is_none() {
    let dir = tempfile::tempdir().unwrap();
    for (part, bits, others) in [("runs", 0o755, "experiment"), ("lane", 0o700, "diary")] {
        let home = dir.path().join(part);
        dir_with(&home, 0o700, &[]);
        dir_with(&home.join(part), bits, &[others]);
        let said = refused(&home).await;
        assert!(said.contains(&format!("mode {bits:03o}")), "{said}");
        assert_eq!(mode(&home.join(part)), bits);
        // Where a daemon served before, it is a part of the home.
        fs::write(home.join("roomd.lock"), "").unwrap();
        is_served(&home).await;
        assert_ne!(mode(&home.join(part)), bits);
    }
}

#[tokio::test]
async fn a_home_behind_a_link_is_used_where_only_we_can_write() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    dir_with(&target, 0o755, &[]);
    symlink(&target, &link).unwrap();
    is_served(&link).await;
    assert_eq!(mode(&target), 0o700);

    fs::set_permissions(&target, Permissions::from_mode(0o770)).unwrap();
    assert!(refused(&link).await.contains("others can write to"));
    let (open, below) = (dir.path().join("open"), dir.path().join("open/below"));
    fs::create_dir_all(&below).unwrap();
    fs::set_permissions(&below, Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    let other = dir.path().join("other");
    symlink(&below, &other).unwrap();
    assert!(refused(&other).await.contains("others can change"));
    let dangling = dir.path().join("dangling");
    symlink(dir.path().join("nowhere"), &dangling).unwrap();
    assert!(refused(&dangling).await.contains("cannot follow"));
}

#[tokio::test]
async fn what_is_in_the_way_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    fs::write(&home, "a file").unwrap();
    assert!(refused(&home).await.contains("not a directory"));
    assert!(refused(Path::new("relative")).await.contains("absolute"));

    let home = dir.path().join("other");
    dir_with(&home, 0o700, &[]);
    let elsewhere = dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, home.join("runs")).unwrap();
    assert!(refused(&home).await.contains("not a directory"));
    fs::remove_file(home.join("runs")).unwrap();
    fs::write(home.join("roomd.sock"), "not a socket").unwrap();
    assert!(refused(&home).await.contains("something else"));
    assert_eq!(fs::read(home.join("roomd.sock")).unwrap(), b"not a socket");
    fs::remove_file(home.join("roomd.sock")).unwrap();
    symlink(&elsewhere, home.join("roomd.lock.x")).unwrap();
    fs::remove_file(home.join("roomd.lock")).unwrap();
    symlink(elsewhere.join("file"), home.join("roomd.lock")).unwrap();
    assert!(refused(&home).await.contains("roomd.lock"));
    assert!(
        !fs::exists(elsewhere.join("file")).unwrap(),
        "no link was followed"
    );
}

#[tokio::test]
async fn a_home_of_another_user_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    // Only root can give a directory away; for anybody else `/` is somebody else's.
    let ours = rustix::process::geteuid().as_raw();
    let theirs = if std::os::unix::fs::chown(&home, Some(ours + 1), None).is_ok() {
        home
    } else {
        PathBuf::from("/")
    };
    assert!(refused(&theirs).await.contains("belongs to user"));
}

#[tokio::test]
async fn a_second_daemon_is_refused_and_the_first_serves_on() {
    let house = House::open(Backend::Memory).await;
    let error = roomd::start(config(house.layout.home()))
        .await
        .err()
        .unwrap();
    assert!(matches!(error, StartError::Locked { .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains(&std::process::id().to_string()), "{said}");
    assert!(said.contains(env!("CARGO_PKG_VERSION")), "{said}");
    assert_eq!(house.operator.get("/v1/health").await.status, 200);
}

#[tokio::test]
async fn who_only_looks_whether_a_daemon_serves_keeps_none_from_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    dir_with(&home, 0o700, &["roomd.lock"]);
    let look = fs::File::open(home.join("roomd.lock")).unwrap();
    fs2::FileExt::lock_shared(&look).unwrap();
    // In turns: the daemon tries once, then the lock is let go.
    let (started, ()) = tokio::join!(biased; roomd::start(config(&home)), async {
        tokio::task::yield_now().await;
        fs2::FileExt::unlock(&look).unwrap();
    });
    started.unwrap().until(async {}).await;
}

#[tokio::test]
async fn a_home_too_long_for_a_socket_has_its_sockets_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("x".repeat(120));
    let running = roomd::start(config(&home)).await.unwrap();
    let layout = running.layout().clone();
    assert!(layout.moved());
    let short = layout.short_dir();
    assert_eq!(mode(&short), 0o700);
    assert_eq!(mode(layout.lane_socket().parent().unwrap()), 0o755);
    assert_eq!(mode(&layout.operator_socket()), 0o600);
    assert_eq!(mode(&layout.lane_socket()), 0o666);
    let operator = Client::new(&layout.operator_socket());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(running.until(async {
        let _ = stopped.await;
    }));
    assert_eq!(operator.get("/v1/health").await.status, 200);
    drop(stop);
    serving.await.unwrap();

    dir_with(&short, 0o755, &["foreign"]);
    assert!(refused(&home).await.contains("mode 755"));
    fs::remove_file(short.join("foreign")).unwrap();
    is_served(&home).await;
    assert_eq!(mode(&short), 0o700);
    fs::set_permissions(&short, Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&home).await.contains("not a private directory"));
    fs::remove_dir_all(&short).unwrap();
    symlink(dir.path(), &short).unwrap();
    assert!(refused(&home).await.contains("not a private directory"));
    fs::remove_file(&short).unwrap();
}

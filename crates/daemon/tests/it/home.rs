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

#[tokio::test]
async fn a_home_that_is_open_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("deep/er/home");
    fs::create_dir_all(&home).unwrap();
    fs::set_permissions(&home, Permissions::from_mode(0o777)).unwrap();
    is_served(&home).await;
    assert_eq!(mode(&home), 0o700);
}

#[tokio::test]
async fn a_home_behind_a_link_is_used_where_only_we_can_write() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("target"), dir.path().join("link"));
    fs::create_dir(&target).unwrap();
    fs::set_permissions(&target, Permissions::from_mode(0o755)).unwrap();
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
    fs::create_dir(&home).unwrap();
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

    fs::set_permissions(&short, Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&home).await.contains("not a private directory"));
    fs::remove_dir_all(&short).unwrap();
    symlink(dir.path(), &short).unwrap();
    assert!(refused(&home).await.contains("not a private directory"));
    fs::remove_file(&short).unwrap();
}

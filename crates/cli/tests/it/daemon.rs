//! Starting, replacing and stopping the daemon.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread::JoinHandle;

use room_protocol::layout::Layout;
use room_protocol::operator::Health;

use crate::home::{Home, Ran, bin, lines, until};

#[test]
fn a_verb_starts_the_daemon_and_it_stays() {
    let home = Home::new();
    let err = home.room(["daemon", "status"]).fails(75);
    assert!(err.contains("no daemon is running"), "{err}");
    assert!(!home.path().exists(), "looking makes nothing");
    assert_eq!(home.room(["daemon", "stop"]).ok(), "not running\n");
    home.room(["rooms"]).ok();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(home.path()), 0o700);
    assert_eq!(mode(&home.path().join("roomd.log")), 0o600);
    let text = home.room(["daemon"]).ok();
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        text.starts_with(&format!("running: version {version}, process ")),
        "{text}"
    );
    let pid = home.daemon_pid();
    home.room(["create", "demo"]).ok();
    assert_eq!(home.daemon_pid(), pid);
    // In a session of its own: no terminal and no signal of ours reaches it.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session = stat.rsplit(')').next().unwrap().split(' ').nth(4).unwrap();
    assert_eq!(session, pid.to_string());
    assert_eq!(home.room(["daemon", "stop"]).ok(), "stopped\n");
    assert_eq!(home.room(["daemon", "status"]).code, Some(75));
    let out = home.room(["daemon", "stop", "--json"]).ok();
    assert_eq!(out, "{\"daemon\":\"not running\"}\n");
}

#[test]
fn of_many_at_once_one_starts_it() {
    let home = Home::new();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| home.room(["create", "demo"]).ok()))
            .collect();
        all.into_iter()
            .for_each(|one| assert_eq!(one.join().unwrap(), "demo\n"));
    });
    let log = fs::read_to_string(home.path().join("roomd.log")).unwrap();
    let starts = log
        .lines()
        .filter(|l| l.contains("serves") || l.contains("serving"))
        .count();
    assert_eq!(starts, 1, "{log}");
}

#[test]
fn it_runs_in_the_foreground_too() {
    let home = Home::new();
    let mut child = home.command(["daemon", "run"]).spawn().unwrap();
    until("it serves", || {
        home.room(["daemon", "status"]).code == Some(0)
    });
    assert_eq!(home.daemon_pid(), child.id());
    home.room(["daemon", "stop"]).ok();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_home_too_long_for_a_socket_says_where_the_sockets_are() {
    let home = Home::named(&"long-".repeat(30));
    let ran = home.room(["create", "demo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "demo\n"));
    let uid = rustix::process::getuid().as_raw();
    let short = Layout::new(home.path(), uid).short_dir();
    assert!(ran.err.contains("too long for a socket's path"), "{ran:?}");
    assert!(ran.err.contains(short.to_str().unwrap()), "{ran:?}");
    let run = home.start();
    assert_eq!(home.inside(&run, ["post", "demo", "hi"]).ok(), "demo/1\n");
    home.room(["daemon", "stop"]).ok();
    let _ = fs::remove_dir_all(short);
}

#[test]
fn nowhere_to_be_and_nowhere_to_write_are_said_plainly() {
    let home = Home::new();
    let mut command = home.command(["rooms"]);
    command.env_remove("HOME").env_remove("ROOM_HOME");
    let err = Ran::of(&command.output().unwrap()).fails(1);
    assert!(err.contains("set ROOM_HOME"), "{err}");
    let file = home.beside().join("file");
    fs::write(&file, "").unwrap();
    let mut command = home.command(["rooms"]);
    command.env("ROOM_HOME", file.join("home"));
    let err = Ran::of(&command.output().unwrap()).fails(1);
    assert!(err.contains("cannot make the home"), "{err}");
}

#[test]
fn a_daemon_that_does_not_start_is_quoted() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    // The database cannot be one.
    fs::create_dir(home.path().join("room.db")).unwrap();
    let err = home.room(["rooms"]).fails(75);
    assert!(
        err.contains("ended at once") && err.contains("roomd.log says:"),
        "{err}"
    );
    assert!(err.contains("room.db"), "{err}");
}

#[test]
fn a_room_without_a_daemon_program_says_where_it_looked() {
    let home = Home::new();
    let alone = home.beside().join("room");
    fs::copy(bin("room"), &alone).unwrap();
    let mut command = Command::new(&alone);
    command
        .arg("rooms")
        .env_clear()
        .env("ROOM_HOME", home.path());
    let err = Ran::of(&command.output().unwrap()).fails(1);
    assert!(err.contains("roomd is neither beside"), "{err}");
    let dir = bin("roomd").parent().unwrap().to_owned();
    let mut command = Command::new(&alone);
    command
        .arg("rooms")
        .env_clear()
        .env("ROOM_HOME", home.path());
    Ran::of(&command.env("PATH", dir).output().unwrap()).ok();
}

/// Something that says that it is a daemon of this version, and ends when it is told to.
fn stand_in(home: &Home, version: &str) -> JoinHandle<()> {
    fs::create_dir_all(home.path()).unwrap();
    let lock = fs::File::create(home.path().join("roomd.lock")).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    let socket = home.path().join("roomd.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let health = Health {
        version: version.to_owned(),
        pid: std::process::id(),
        home: home.path().display().to_string(),
        started_at: room_protocol::Timestamp::now(),
        store: "none".to_owned(),
        live_runs: 0,
    };
    let health = serde_json::to_string(&health).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = vec![];
            while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                let mut piece = [0; 1024];
                let read = stream.read(&mut piece).unwrap();
                assert!(read > 0);
                request.extend_from_slice(&piece[..read]);
            }
            let ends = request.starts_with(b"POST /v1/shutdown ");
            let rooms = request.starts_with(b"GET /v1/rooms ");
            let body = if ends {
                "null"
            } else if rooms {
                r#"{"rooms":[]}"#
            } else {
                &health
            };
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            write!(
                stream,
                "{head}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            if ends {
                break;
            }
        }
        fs::remove_file(&socket).unwrap();
        drop(lock);
    })
}

#[test]
fn an_older_daemon_is_replaced() {
    let home = Home::new();
    let older = stand_in(&home, "0.0.9");
    let ran = home.room(["daemon", "status", "--json"]);
    assert_eq!(
        lines::<Health>(&ran.out)[0].version,
        "0.0.9",
        "looking replaces nothing"
    );
    let ran = home.room(["create", "demo"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "demo\n"), "{ran:?}");
    assert!(
        ran.err.contains("replacing the daemon of version 0.0.9"),
        "{ran:?}"
    );
    older.join().unwrap();
    let health: Vec<Health> = home.json(["daemon", "status"]);
    assert_eq!(health[0].version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_newer_daemon_is_not() {
    let home = Home::new();
    let newer = stand_in(&home, "99.0.0");
    assert!(home.room(["rooms"]).ok().starts_with("no rooms yet"));
    let health: Vec<Health> = home.json(["daemon", "status"]);
    assert_eq!(health[0].version, "99.0.0");
    assert_eq!(home.room(["daemon", "stop"]).ok(), "stopped\n");
    newer.join().unwrap();
}

#[test]
fn a_run_in_a_container_starts_no_daemon_of_its_own() {
    let home = Home::with_demo();
    let run = home.start();
    // What a container is given: the lane and the run's own directory.
    let inner = home.beside().join("inner");
    fs::create_dir_all(inner.join("runs")).unwrap();
    std::os::unix::fs::symlink(home.path().join("lane"), inner.join("lane")).unwrap();
    copy_dir(&home.run_dir(&run), &inner.join("runs").join(&run));
    let room = |args: &[&str]| {
        let mut command = home.command(args);
        command.env("ROOM_HOME", &inner).env("RUN_ID", &run);
        Ran::of(&command.output().unwrap())
    };
    assert_eq!(room(&["post", "demo", "from inside"]).ok(), "demo/1\n");
    assert!(room(&["messages", "demo"]).ok().contains("from inside"));
    let err = room(&["rooms"]).fails(75);
    assert!(err.contains("from inside this run"), "{err}");
    assert!(!inner.join("roomd.log").exists() && !inner.join("start.lock").exists());
    // On the host a run may start it as anyone may.
    home.room(["daemon", "stop"]).ok();
    home.inside(&run, ["messages", "demo"]).ok();
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_daemon_that_does_not_answer_is_temporary() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    let _hung = UnixListener::bind(home.path().join("roomd.sock")).unwrap();
    let err = home.room(["rooms"]).fails(75);
    let log = home.path().join("roomd.log");
    assert!(err.contains("did not answer in time"), "{err}");
    assert!(err.contains(&format!("(see {})", log.display())), "{err}");
}

#[test]
fn a_killed_daemon_is_said_to_have_ended_and_a_stopped_one_leaves_runs() {
    let home = Home::new();
    home.start();
    home.kill_daemon();
    let err = home.room(["daemon", "status"]).fails(75);
    assert!(
        err.contains("nobody listens there") && !err.contains("daemon status"),
        "{err}"
    );
    home.start();
    let said = home.room(["daemon", "stop"]).ok();
    assert!(
        said.starts_with("stopped; 2 runs are live and go on: hooks are silent until"),
        "{said}"
    );
    home.start();
    let said = home.room(["daemon", "stop", "--json"]).ok();
    assert_eq!(said, "{\"daemon\":\"stopped\",\"live_runs\":3}\n");
}

//! Whatever becomes of the daemon, the CLI does what it would do without hooks, and
//! waits no longer than the hooks' deadlines.

use std::fs;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rustix::process::Signal;

use super::shared::{ROOM, in_room, install_hooks, never_shown, request_count, undelivered};
use super::{BOTH, Case};
use crate::clients::model::record::Requests;
use crate::clients::model::script::Steps;
use crate::clients::process::{self, Outcome, wait_for};
use crate::clients::room::Room;
use crate::clients::stage::Stage;

pub const DEAD: Case = Case {
    name: "daemon-dead",
    about: "a daemon killed in the middle of the run changes nothing in what the CLI does",
    clis: BOTH,
    product: true,
    run: |stage| compare(stage, kill),
};

pub const HUNG: Case = Case {
    name: "daemon-hung",
    about: "a daemon that stops answering costs the hooks' deadlines and nothing else",
    clis: BOTH,
    product: true,
    run: |stage| compare(stage, suspend),
};

pub const GARBAGE: Case = Case {
    name: "daemon-garbage",
    about: "a socket that answers garbage costs the hooks' deadlines and nothing else",
    clis: BOTH,
    product: true,
    run: |stage| compare(stage, babble),
};

pub const UNDER_LAUNCHER: Case = Case {
    name: "daemon-dies-under-run",
    about: "the daemon dies under `room run`: the CLI goes on, its exit code comes through",
    clis: BOTH,
    product: true,
    run: under_launcher,
};

const CALLS: u32 = 3;

/// After tools 500 ms for each call; at stop, prompt, session start and session end 2 s.
fn deadlines() -> Duration {
    Duration::from_millis(500) * CALLS + Duration::from_secs(2) * 4
}

/// The launcher needs the daemon to end the run, and may start another for that; while the
/// CLI works nobody does.
fn under_launcher(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let take = stage.model.play(steps_with(move || {
        room.post(ROOM, "ana", "LATEWORD-1")?;
        kill(&room)
    }));

    let outcome = in_room(stage, "do the steps").run()?.success()?;

    ensure!(
        outcome.stdout.contains("the last word"),
        "the answer got lost"
    );
    let requests = take.requests()?.main();
    request_count(&requests, CALLS as usize + 1)?;
    never_shown(&requests, "LATEWORD-1", "the agent")?;
    undelivered(&stage.room, "demo/1")?;
    let run = stage.room.only_run()?;
    ensure!(
        run.state == "ended" && run.exit_code == Some(0),
        "the run was not ended properly: {run:?}"
    );
    Ok(())
}

/// What befalls the daemon.
type Blow = fn(&Room) -> Result<()>;

fn compare(stage: &Stage, blow: Blow) -> Result<()> {
    install_hooks(stage)?;
    let run_id = stage.room.start_run(ROOM)?;
    let plain = stage.model.play(steps());
    let before = agent(stage, "plain", None)?;
    let plain = plain.requests()?.main();

    let room = stage.room.clone();
    let struck = stage.model.play(steps_with(move || {
        room.post(ROOM, "ana", "LOSTWORD-1")?;
        blow(&room)
    }));
    let after = agent(stage, "struck", Some(&run_id))?;
    let struck = struck.requests()?.main();

    same(&plain, &struck)?;
    ensure!(
        after.code() == before.code(),
        "exit codes {} and {}",
        before.code(),
        after.code()
    );
    ensure!(
        after.stdout.contains("the last word"),
        "the answer got lost"
    );
    // Two runs of the same CLI differ that much where others use the machine too.
    let longest = before.took * 3 + deadlines();
    ensure!(
        after.took <= longest,
        "it took {:?}, plain {:?}",
        after.took,
        before.took
    );
    recover(&stage.room)?;
    undelivered(&stage.room, "demo/1")?;
    let run = stage.room.only_run()?;
    ensure!(
        run.unread == 1,
        "the message should still wait for the run: {run:?}"
    );
    Ok(())
}

fn steps() -> Steps {
    steps_with(|| Ok(()))
}

fn steps_with(action: impl FnOnce() -> Result<()> + Send + 'static) -> Steps {
    let mut steps = Steps::new().shell("echo call 1").after_request(action);
    for call in 2..=CALLS {
        steps = steps.shell(format!("echo call {call}"));
    }
    steps.say("the last word")
}

fn agent(stage: &Stage, name: &str, run_id: Option<&str>) -> Result<Outcome> {
    let mut agent = stage
        .agent("do the steps")
        .env("ROOM_INTERVAL", "0")
        .named(name);
    if let Some(run_id) = run_id {
        agent = agent.env("RUN_ID", run_id);
    }
    agent.run()?.success()
}

/// The model was sent as many requests, and nothing by hooks after the blow.
fn same(plain: &Requests, struck: &Requests) -> Result<()> {
    ensure!(
        plain.len() == struck.len(),
        "{} requests without the run, {} with it",
        plain.len(),
        struck.len()
    );
    let late = struck.shown("LOSTWORD-1");
    ensure!(
        late == 0,
        "the message came {late} times from a daemon that was gone"
    );
    let at_first = struck.0.first().map_or(0, |r| r.hook_texts().len());
    let at_last = struck.hook_texts().len();
    ensure!(
        at_first == at_last,
        "hooks said more: {:#?}",
        struck.hook_texts()
    );
    Ok(())
}

fn kill(room: &Room) -> Result<()> {
    send(room, Signal::KILL)?;
    wait_for("the daemon's end", Duration::from_secs(5), || {
        Ok(room.daemon_pids().is_empty().then_some(()))
    })
}

fn suspend(room: &Room) -> Result<()> {
    send(room, Signal::STOP)
}

fn send(room: &Room, signal: Signal) -> Result<()> {
    let pids = room.daemon_pids();
    ensure!(!pids.is_empty(), "no daemon to strike");
    for pid in pids {
        ensure!(process::signal(pid, signal), "the daemon {pid} is gone");
    }
    Ok(())
}

/// Takes the sockets' places and answers every call with bytes that are no HTTP.
fn babble(room: &Room) -> Result<()> {
    kill(room)?;
    for socket in sockets(room) {
        fs::remove_file(&socket).with_context(|| format!("{} is missing", socket.display()))?;
        let listener = UnixListener::bind(&socket)?;
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that has gone meanwhile is none of this listener's business.
                let _sent = (&stream).write_all(&[0xff, 0x00, b'{', b'\n', 0x80]);
            }
        });
    }
    Ok(())
}

fn sockets(room: &Room) -> [PathBuf; 2] {
    [
        room.home().join("roomd.sock"),
        room.home().join("lane/roomd.sock"),
    ]
}

/// Makes way for a daemon that answers again; `room` starts it.
fn recover(room: &Room) -> Result<()> {
    for pid in room.daemon_pids() {
        process::signal(pid, Signal::CONT);
    }
    if room.daemon_pids().is_empty() {
        for socket in sockets(room) {
            // After a plain kill the daemon's own sockets lie there, which is part of the test;
            // this suite's would look alive.
            let _absent = fs::remove_file(socket);
        }
    }
    Ok(())
}

//! Invariants 1 and 2: at least once, not twice, with many hooks of one run at the same moment.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Barrier};

use serde_json::Value;

use crate::support::daemon::{Daemon, TestRun};
use crate::support::hook::{Outcome, shown};
use crate::support::payload::{Change, batch, claude, prompt, start, stop};

const HOOKS: usize = 8;

/// The numbers that outcomes show, each answer's own.
fn all_shown(outcomes: &[Outcome]) -> Vec<u64> {
    outcomes
        .iter()
        .filter(|outcome| !outcome.stdout.is_empty())
        .flat_map(|outcome| shown(&outcome.context()))
        .collect()
}

fn at_once(run: &TestRun, round: usize) -> Vec<Outcome> {
    let running: Vec<_> = (0..HOOKS)
        .map(|_| run.relay().on(&batch(&format!("t{round}"))).start())
        .collect();
    running.into_iter().map(|hook| hook.end()).collect()
}

#[test]
fn one_message_and_eight_hooks_two_hundred_times_over() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for round in 0..200 {
        let message = daemon.post(&format!("message of round {round}"));
        let mut numbers = all_shown(&at_once(&run, round));
        // Whoever was second found the lock taken. When the first of all came before the message
        // was there, it is the next one's.
        if numbers.is_empty() {
            numbers = shown(&run.relay().on(&batch("late")).context());
        }
        assert_eq!(numbers, [message.number], "round {round}\n{}", run.log());
    }
    assert_eq!(run.waiting(), 0);
    assert_eq!(run.log(), "");
}

/// All hooks write to one pipe, so that the order of their answers is known.
#[test]
fn a_burst_comes_whole_and_in_order_over_eight_hooks_at_once() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let posted: Vec<u64> = (0..200)
        .map(|n| daemon.post(&format!("{n} {}", "words ".repeat(30))).number)
        .collect();
    let (read, write) = rustix::pipe::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&write, 1 << 20).unwrap();
    let mut rounds = 0;
    while run.waiting() > 0 {
        rounds += 1;
        assert!(
            rounds <= posted.len(),
            "it makes no progress: {}",
            run.log()
        );
        let running: Vec<_> = (0..HOOKS)
            .map(|_| {
                let stdout: OwnedFd = write.try_clone().unwrap();
                run.relay()
                    .stdout(stdout)
                    .on(&batch(&format!("t{rounds}")))
                    .start()
            })
            .collect();
        running.into_iter().for_each(|hook| drop(hook.end()));
    }
    drop(write);
    let mut answers = String::new();
    File::from(read).read_to_string(&mut answers).unwrap();
    let seen: Vec<u64> = serde_json::Deserializer::from_str(&answers)
        .into_iter::<Value>()
        .flat_map(|answer| {
            let answer = answer.unwrap();
            let text = answer["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .unwrap();
            assert!(text.len() <= 8_000);
            shown(text)
        })
        .collect();
    assert_eq!(seen, posted);
}

#[test]
fn every_kind_of_hook_at_once_shows_each_message_once() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for round in 0..20 {
        let posted: Vec<u64> = (0..3).map(|_| daemon.post("x").number).collect();
        let mark = format!("t{round}");
        let payloads = [
            batch(&mark),
            prompt(&mark),
            start("resume"),
            claude("PostToolUse-main"),
        ];
        let barrier = Arc::new(Barrier::new(payloads.len() + 1));
        let mut outcomes: Vec<Outcome> = std::thread::scope(|scope| {
            let relays: Vec<_> = payloads
                .iter()
                .map(|payload| {
                    let (run, barrier) = (&run, barrier.clone());
                    scope.spawn(move || {
                        let hook = run.relay().on(payload);
                        barrier.wait();
                        hook.run()
                    })
                })
                .collect();
            barrier.wait();
            let gate = run.gate().on(&stop(false)).run();
            relays
                .into_iter()
                .map(|relay| relay.join().unwrap())
                .chain([gate])
                .collect()
        });
        if run.waiting() > 0 {
            outcomes.push(run.relay().on(&batch("late")).run());
        }
        let mut numbers = all_shown(&outcomes);
        numbers.sort();
        assert_eq!(numbers, posted, "round {round}");
        run.write("stop-room-nudged", b"{}");
    }
}

#[test]
fn a_taken_lock_sends_after_tool_hooks_away_and_the_others_wait() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let lock = run.files().lock_try().unwrap().unwrap();
    let away = run.relay().on(&batch("t1")).run_silent();
    assert!(away.took.as_millis() < 2_000, "{:?}", away.took);
    run.relay().on(&prompt("p1")).run_silent();
    assert!(run.log().contains("another hook keeps the lock"));
    let waiting = run.relay().on(&prompt("p2")).start();
    std::thread::sleep(std::time::Duration::from_millis(50));
    drop(lock);
    assert_eq!(shown(&waiting.end().context()).len(), 1);
}

/// The gate decides on what is undelivered, leased or not: another hook may be stuck with what it has
/// leased. Its words stay its own; that they wait holds the stop.
#[test]
fn without_the_lock_the_gate_holds_and_leaves_a_lease_alone() {
    let daemon = Daemon::start();
    let run = daemon.open();
    daemon.post("x");
    let lock = run.files().lock_try().unwrap().unwrap();
    let lease: room_protocol::lane::Lease = run
        .lane
        .post(
            "/v1/run/leases",
            &room_protocol::lane::LeaseRequest {
                budget: 100,
                ..Default::default()
            },
        )
        .unwrap();
    let held = run.gate().on(&stop(false)).context();
    assert!(shown(&held).is_empty(), "not its to show");
    assert!(held.contains("1 message waits"), "{held}");
    assert_eq!(run.waiting(), 1);
    let path = format!("/v1/run/leases/{}", lease.lease.unwrap());
    run.lane.delete::<()>(&path).unwrap();
    drop(lock);
    assert_eq!(shown(&run.gate().on(&stop(true)).context()).len(), 1);
    assert!(!run.has("note.tmp") && !run.has("note.json"));
    assert_eq!(run.waiting(), 0);
}

/// A daemon that is slow for half a second: the hook that has the lock and the gate that does not get it
/// both come to an answer, and only one of them shows the message.
#[test]
fn a_daemon_that_pauses_makes_nothing_twice() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for round in 0..4 {
        let message = daemon.post("once");
        daemon.signal(rustix::process::Signal::STOP);
        let first = run.relay().on(&prompt(&format!("p{round}"))).start();
        crate::support::wait_for("the lock to be taken", || {
            run.files().lock_try().unwrap().is_none().then_some(())
        });
        let stop = stop(false).with("prompt_id", format!("c{round}"));
        let second = run.gate().on(&stop).start();
        // Longer than a gate waits for the lock, shorter than either deadline.
        std::thread::sleep(2 * room_protocol::limits::LOCK_WAIT);
        daemon.signal(rustix::process::Signal::CONT);
        let (first, second) = (first.end(), second.end());
        let mut seen = Vec::new();
        for outcome in [first, second] {
            if !outcome.stdout.is_empty() {
                seen.extend(shown(&outcome.context()));
            }
        }
        assert_eq!(seen, [message.number], "round {round}");
        assert_eq!(run.waiting(), 0);
    }
}

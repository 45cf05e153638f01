//! `room watch` and `room wait`

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};

use room_protocol::{Event, EventKind, Message, Status};
use rustix::process::{Pid, Signal, kill_process};

use crate::home::{Home, PATIENCE, end_of, lines, until};

/// A `room watch` whose lines can be waited for.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn begin(home: &Home, args: &[&str]) -> Self {
        let mut child = home
            .command(["watch", "demo"].iter().chain(args))
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let out: ChildStdout = child.stdout.take().unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    #[track_caller]
    fn next(&self, has: &str) -> String {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        assert!(line.contains(has), "{line:?} without {has:?}");
        line
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_is_told_then_what_happens() {
    let home = Home::with_demo();
    home.post("before\nit began\u{1b}");
    let watching = Watching::begin(&home, &[]);
    watching.next("demo/1 from ana: before ⏎ it began<U+001B>");
    let run = home.start();
    watching.next("run other opened");
    let args = ["post", "demo", "for you", "--to", &run];
    home.room(args).ok();
    watching.next("demo/2 from ana to other: for you");
    home.room(["prompt", "demo", "--run", &run]).ok();
    watching.next("demo/1 taken by other, opened");
    watching.next("demo/2 taken by other, opened");
    let args = ["post", "demo", "nor this", "--to", "other"];
    home.room(args).ok();
    watching.next("demo/3 from ana to other: nor this");
    home.room(["end", "other", "--exit-code", "4"]).ok();
    let mut ends: Vec<String> = (0..5)
        .map(|_| watching.next(" ").split_once(' ').unwrap().1.to_owned())
        .collect();
    ends.sort();
    assert_eq!(
        ends,
        [
            "demo/1 returned: other ended before it was confirmed",
            "demo/2 failed: other ended before it surely saw it",
            "demo/2 returned: other ended before it was confirmed",
            "demo/3 failed: other ended without taking it",
            "run other ended, exit code 4",
        ]
    );
    home.post("x");
    home.room(["withdraw", "demo/4"]).ok();
    watching.next("demo/4 from ana: x");
    watching.next("demo/4 withdrawn");
}

#[test]
fn what_is_new_comes_without_what_was() {
    let home = Home::with_demo();
    (0..3).for_each(|i| drop(home.post(&format!("old {i}"))));
    let watching = Watching::begin(&home, &["--new"]);
    let mut first = None;
    until("it says something", || {
        home.post("new");
        first = watching.lines.try_recv().ok();
        first.is_some()
    });
    assert!(first.unwrap().ends_with(": new"));
    for clash in ["--no-follow", "--after=3"] {
        let err = home.room(["watch", "demo", "--new", clash]).fails(2);
        assert!(err.contains("cannot be used with"), "{err}");
    }
}

#[test]
fn ctrl_c_is_how_it_ends() {
    let home = Home::with_demo();
    home.post("one");
    let mut watching = Watching::begin(&home, &[]);
    watching.next("one");
    kill_process(Pid::from_child(&watching.child), Signal::INT).unwrap();
    assert_eq!(end_of(&mut watching.child).code(), Some(0));
}

#[test]
fn it_goes_on_where_it_was_when_another_daemon_takes_over() {
    let home = Home::with_demo();
    home.post("one");
    let watching = Watching::begin(&home, &[]);
    watching.next("one");
    home.kill_daemon();
    home.post("two");
    watching.next("two");
    home.room(["daemon", "stop"]).ok();
    home.post("three");
    watching.next("three");
}

#[test]
fn without_following_it_ends_with_what_was() {
    let home = Home::with_demo();
    (0..250).for_each(|i| {
        let key = format!("k{i}");
        home.room(["post", "demo", &format!("n{i}"), "--key", &key])
            .done();
    });
    let text = home.room(["watch", "demo", "--no-follow"]).ok();
    let told: Vec<_> = text
        .lines()
        .map(|l| l.rsplit(' ').next().unwrap())
        .collect();
    let posted: Vec<_> = (0..250).map(|i| format!("n{i}")).collect();
    assert_eq!(told, posted);
    let out = home
        .room(["watch", "demo", "--no-follow", "--after", "248", "--json"])
        .ok();
    let events: Vec<Event> = lines(&out);
    let seen: Vec<_> = events.iter().map(|e| (e.cursor, e.kind)).collect();
    assert_eq!(seen, [(249, EventKind::Posted), (250, EventKind::Posted)]);
    assert_eq!(events[1].message.as_ref().unwrap().number, 250);
    let err = home.room(["watch", "nowhere", "--no-follow"]).fails(1);
    assert!(err.contains("nowhere"), "{err}");
}

#[test]
fn wait_ends_when_the_message_was_taken() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("one");
    let mut waiting = home
        .command(["wait", "demo/1", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    home.inside(&run, ["read", "demo"]).ok();
    assert_eq!(end_of(&mut waiting).code(), Some(0));
    let out = std::io::read_to_string(waiting.stdout.take().unwrap()).unwrap();
    let message: Message = lines(&out).remove(0);
    assert_eq!(message.status, Status::Taken);
    let text = home.room(["wait", "demo/1"]).ok();
    assert!(text.starts_with("demo/1 taken other read "), "{text}");
}

#[test]
fn wait_outlives_a_daemon() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("one");
    let mut waiting = home.command(["wait", "demo/1"]).spawn().unwrap();
    home.kill_daemon();
    home.room(["daemon", "stop"]);
    assert!(waiting.try_wait().unwrap().is_none());
    home.room(["rooms"]).ok();
    home.inside(&run, ["read", "demo"]).ok();
    assert_eq!(end_of(&mut waiting).code(), Some(0));
}

#[test]
fn wait_has_its_time_and_knows_what_never_will_be() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("one");
    home.room(["prompt", "demo", "--run", &run]).ok();
    let err = home
        .room(["wait", "demo/1", "--confirmed", "--timeout", "0"])
        .fails(75);
    assert!(err.contains("demo/1 was not confirmed within 0 s"), "{err}");
    home.post("two");
    let err = home.room(["wait", "demo/2", "--timeout", "1"]).fails(75);
    assert!(err.contains("demo/2 was not taken within 1 s"), "{err}");
    let err = home.room(["wait", "demo/2", "--timeout", "0.2"]).fails(75);
    assert!(err.contains("within 0.2 s"), "{err}");
    for (time, says) in [
        ("x", "0.5, 30s, 5m, 1h"),
        ("-1", "not negative"),
        ("9999999999999999999", "at most 8760h"),
    ] {
        let err = home.room(["wait", "demo/2", "--timeout", time]).fails(2);
        assert!(err.contains(says), "{time}: {err}");
    }
    home.room(["withdraw", "demo/2"]).ok();
    let ran = home.room(["wait", "demo/2"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(1), "demo/2 withdrawn\n")
    );
    assert!(home.room(["wait", "demo/9"]).fails(1).contains("demo/9"));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let home = Home::with_demo();
    home.post(&"word ".repeat(100));
    let mut child = home
        .command(["watch", "demo"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    drop(out);
    until("it notices", || {
        home.post("one more");
        child.try_wait().unwrap().is_some()
    });
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}

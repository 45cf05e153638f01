//! What an agent posts where it cannot reach the daemon goes out with its next hook.

use room_client::outbox;
use room_protocol::message::{MessagePage, Post};

use crate::support::daemon::{Daemon, TestRun};
use crate::support::payload::{batch, prompt, stop};

fn put(run: &TestRun, body: &str) {
    let post = Post {
        body: body.to_owned(),
        author: None,
        kind: None,
        to: None,
        reply_to: None,
        quotes: Vec::new(),
        key: None,
    };
    outbox::put(&run.files(), &post).unwrap();
}

fn bodies(daemon: &Daemon) -> Vec<String> {
    let page: MessagePage = daemon.operator().get("/v1/rooms/demo/messages").unwrap();
    page.messages.into_iter().map(|m| m.body).collect()
}

#[test]
fn posts_go_out_in_order_once_each_with_whatever_asks_next() {
    let mut daemon = Daemon::start();
    let run = daemon.open();
    let mut expected = Vec::new();
    for payload in [batch("t1"), prompt("p1"), stop(false)] {
        for n in 0..3 {
            let body = format!("{n} before {}", payload["hook_event_name"]);
            put(&run, &body);
            expected.push(body);
        }
        let hook = if payload["hook_event_name"] == "Stop" {
            run.gate()
        } else {
            run.relay()
        };
        hook.on(&payload).run_silent();
        assert_eq!(bodies(&daemon), expected);
        assert!(outbox::is_empty(&run.files()));
    }
    daemon.kill();
    put(&run, "while it was away");
    run.relay().on(&batch("t2")).run_silent();
    assert!(!outbox::is_empty(&run.files()), "it waits");
    daemon.restart();
    run.relay().on(&batch("t3")).run_silent();
    expected.push("while it was away".to_owned());
    assert_eq!(bodies(&daemon), expected);
}

#[test]
fn a_full_outbox_does_not_keep_a_message_from_the_agent() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for n in 0..room_protocol::limits::OUTBOX_FILES {
        put(&run, &format!("{n}"));
    }
    daemon.post("for the agent");
    let outcome = run.relay().on(&batch("t1")).run();
    assert_eq!(crate::support::hook::shown(&outcome.context()).len(), 1);
    let mut hooks = 1;
    while !outbox::is_empty(&run.files()) {
        run.relay().on(&batch("t2")).run_silent();
        hooks += 1;
        assert!(hooks < 100, "{}", run.log());
    }
    let sent: Vec<String> = bodies_of_run(&daemon, &run);
    let expected: Vec<String> = (0..sent.len()).map(|n| n.to_string()).collect();
    assert_eq!(sent, expected);
    assert_eq!(sent.len(), room_protocol::limits::OUTBOX_FILES);
}

fn bodies_of_run(daemon: &Daemon, run: &TestRun) -> Vec<String> {
    let page: MessagePage = daemon
        .operator()
        .get("/v1/rooms/demo/messages?limit=500")
        .unwrap();
    let own = page
        .messages
        .into_iter()
        .filter(|m| m.author.run.as_ref() == Some(&run.id));
    own.map(|m| m.body).collect()
}

/// What is refused for good, and what cannot even be kept as refused, keeps nothing back.
#[test]
fn a_post_that_can_never_go_keeps_nothing_back() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let outbox = run.dir.join("outbox");
    std::fs::write(outbox.join("0000-author"), r#"{"body":"x","as":"ana"}"#).unwrap();
    std::fs::write(
        outbox.join("0001-handle"),
        r#"{"body":"x","reply_to":"other/1"}"#,
    )
    .unwrap();
    put(&run, "behind them");
    run.relay().on(&batch("t1")).run_silent();
    assert_eq!(bodies(&daemon), ["behind them"]);
    assert!(outbox.join("refused/0000-author").exists());
    assert!(outbox.join("refused/0001-handle").exists());

    std::fs::remove_dir_all(outbox.join("refused")).unwrap();
    std::os::unix::fs::symlink("/", outbox.join("refused")).unwrap();
    std::fs::write(outbox.join("0002-author"), r#"{"body":"x","as":"ana"}"#).unwrap();
    put(&run, "behind that one");
    run.relay().on(&batch("t2")).run_silent();
    assert_eq!(bodies(&daemon), ["behind them", "behind that one"]);
    assert!(outbox::is_empty(&run.files()));
}

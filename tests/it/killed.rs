//! Invariant 2: a hook that is killed between any two of its steps loses nothing, and only between
//! print and rename shows anything twice.

use crate::support::daemon::Daemon;
use crate::support::hook::{Hook, shown};
use crate::support::payload::{batch, stop};
use serde_json::Value;

/// The steps, whether what was printed by then counts as shown, and whether it is shown again.
const STEPS: [(&str, bool, bool); 5] = [
    ("lease", false, true),
    ("note", false, true),
    ("print", true, true),
    ("rename", true, false),
    ("ack", true, false),
];

/// Kills a hook after each step, lets `next` follow, and checks who showed what.
fn killed(victim: impl Fn(Hook) -> (Hook, Value), gate: bool) {
    let daemon = Daemon::start();
    for (step, printed, again) in STEPS {
        let run = daemon.open();
        let posted = [daemon.post("one").number, daemon.post("two").number];
        let hook = if gate { run.gate() } else { run.relay() };
        let (hook, payload) = victim(hook.env("ROOM_TEST_KILL_AFTER", step));
        let dead = hook.on(&payload).start().end_anyhow();
        assert!(dead.was_killed(), "{step}: {dead:?}");
        if printed {
            assert_eq!(shown(&dead.context()), posted, "{step}");
        } else {
            assert_eq!(dead.stdout, "", "{step}");
        }
        // At once, within the dead hook's lease; a later stop of the same chain where it was a gate.
        let next = run.gate().on(&stop(gate)).run();
        if again {
            assert_eq!(shown(&next.context()), posted, "{step}");
        } else {
            assert_eq!(next.stdout, "", "{step}");
        }
        assert_eq!(run.waiting(), 0, "{step}: nothing unread passes the gate");
        assert!(!run.has("note.json") && !run.has("note.tmp"), "{step}");
        run.gate().on(&stop(true)).run_silent();
        run.end();
    }
}

#[test]
fn a_relay_killed_after_each_of_its_steps() {
    killed(|hook| (hook, batch("t1")), false);
}

#[test]
fn a_gate_killed_after_each_of_its_steps() {
    killed(|hook| (hook, stop(false)), true);
}

#[test]
fn a_relay_follows_a_killed_one() {
    let daemon = Daemon::start();
    for (step, _, again) in STEPS {
        let run = daemon.open();
        let first = daemon.post("one").number;
        let dead = run
            .relay()
            .env("ROOM_TEST_KILL_AFTER", step)
            .on(&batch("t1"))
            .start()
            .end_anyhow();
        assert!(dead.was_killed(), "{step}");
        let second = daemon.post("two").number;
        let all = [first, second];
        let next = run.relay().on(&batch("t2")).context();
        let expected = if again { &all[..] } else { &all[1..] };
        assert_eq!(shown(&next), expected, "{step}");
        run.end();
    }
}

/// What a late acknowledgement says is when it was printed, not when it was settled: the moment that
/// settles it confirms it where it is a later one, and does not where it is the same.
#[test]
fn a_note_settled_late_says_when_it_was_printed() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for (printed, settled, confirmed) in [("t1", "t1", false), ("t2", "t3", true)] {
        let message = daemon.post("x");
        let dead = run
            .relay()
            .env("ROOM_TEST_KILL_AFTER", "rename")
            .on(&batch(printed))
            .start()
            .end_anyhow();
        assert!(dead.was_killed());
        run.relay().on(&batch(settled)).run_silent();
        let delivery = daemon.message(&message).deliveries.pop().unwrap();
        assert_eq!(
            (delivery.how.as_str(), delivery.confirmed),
            ("relayed", confirmed)
        );
    }
}

#[test]
fn a_note_that_makes_no_sense_is_dropped_and_its_messages_are_shown_again() {
    let daemon = Daemon::start();
    let run = daemon.open();
    for garbage in ["", "{", "[]", "{\"items\":[{\"id\":\"x\"}]}"] {
        run.write("note.json", garbage.as_bytes());
        let message = daemon.post("x");
        let text = run.relay().on(&batch("t1")).context();
        assert_eq!(shown(&text), [message.number], "{garbage}");
    }
    assert!(run.log().contains("dropped the note"));
}

/// An id that was never this run's cannot keep the others from being settled.
#[test]
fn a_note_with_refused_ids_is_settled_all_the_same() {
    let daemon = Daemon::start();
    let run = daemon.open();
    let foreign = daemon
        .post_as(serde_json::json!({"body": "not for it", "as": "ana", "to": daemon.open().id}));
    let own = daemon.post("own");
    let unknown = "01890000-0000-7000-8000-000000000001";
    let note = serde_json::json!({
        "how": "relayed",
        "items": [{"id": foreign.id}, {"id": unknown}, {"id": own.id}],
    });
    run.write("note.json", note.to_string().as_bytes());
    run.relay().on(&batch("t1")).run_silent();
    assert_eq!(run.waiting(), 0);
    assert!(!run.has("note.json"));
    assert!(run.log().contains("never this run's"), "{}", run.log());
}

/// A daemon that ends between two steps of a hook.
#[test]
fn a_daemon_killed_after_the_print_gets_its_acknowledgement_when_it_is_back() {
    let mut daemon = Daemon::start();
    let run = daemon.open();
    let message = daemon.post("x");
    let dead = run
        .relay()
        .env("ROOM_TEST_KILL_AFTER", "rename")
        .on(&batch("t1"))
        .start()
        .end_anyhow();
    assert_eq!(shown(&dead.context()), [message.number]);
    daemon.kill();
    run.gate().on(&stop(false)).run_silent();
    assert!(run.has("note.json"), "it stays until it is settled");
    daemon.restart();
    run.gate().on(&stop(true)).run_silent();
    assert_eq!(run.waiting(), 0);
    assert!(!run.has("note.json"));
}

#[test]
fn a_panic_is_silence_and_a_line_in_the_log() {
    let daemon = Daemon::start();
    for (step, again) in [("lease", true), ("note", true), ("rename", false)] {
        let run = daemon.open();
        let message = daemon.post("x");
        for hook in [run.relay().on(&batch("t1")), run.gate().on(&stop(false))] {
            let outcome = hook.env("ROOM_TEST_PANIC_AFTER", step).run();
            if again {
                assert_eq!(outcome.stdout, "", "{step}");
            }
        }
        assert!(run.log().contains("a fault of the hook itself"));
        if again {
            let text = run.relay().on(&batch("t2")).context();
            assert_eq!(shown(&text), [message.number], "{step}");
        } else {
            run.relay().on(&batch("t2")).run_silent();
        }
        run.end();
    }
}

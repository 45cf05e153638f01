//! `room messages`, `show`, `withdraw`, `rooms`, `create`, `runs`: what a person looks at.

use room_protocol::operator::Room;
use room_protocol::{Message, Run, RunState, Status};

use crate::home::Home;

/// Times of day as `TT:TT:TT`, so that a text can be compared.
fn timeless(text: &str) -> String {
    let mut out: Vec<u8> = text.bytes().collect();
    for i in 0..out.len().saturating_sub(7) {
        let is = |at: usize| out[i + at].is_ascii_digit();
        let clock = [0, 1, 3, 4, 6, 7].into_iter().all(is);
        if clock && out[i + 2] == b':' && out[i + 5] == b':' {
            out[i..i + 8].copy_from_slice(b"TT:TT:TT");
        }
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn messages_say_who_took_them_how_and_when() {
    let home = Home::with_demo();
    home.room(["start", "demo", "--name", "Al"]).ok();
    let run: Vec<Run> = home.json(["runs"]);
    let run = run[0].id.to_string();
    home.post("first\nline two \u{1b}[31m \u{202e}");
    home.inside(&run, ["read", "demo"]).ok();
    home.inside(&run, ["post", "demo", "answer", "--reply", "demo/1"])
        .ok();
    home.post("third");
    home.room(["withdraw", "demo/3"]).ok();
    let text = timeless(&home.room(["messages", "demo"]).ok());
    insta::assert_snapshot!(text, @"
    MESSAGE  STATUS     AUTHOR      SENT (UTC)  TAKEN BY                     TEXT
    demo/1   taken      ana         TT:TT:TT    Al read TT:TT:TT, confirmed  first ⏎ line two <U+001B>[31m <U+202E>
    demo/2   attached   Al (agent)  TT:TT:TT    -                            answer
    demo/3   withdrawn  ana         TT:TT:TT    -                            third
    ");
}

#[test]
fn a_listing_has_a_window() {
    let home = Home::with_demo();
    (1..=5).for_each(|i| drop(home.post(&i.to_string())));
    let bodies = |args: &[&str]| -> Vec<String> {
        let args = ["messages", "demo"].iter().chain(args).chain(&["--json"]);
        let out = home.room(args).ok();
        crate::home::lines::<Message>(&out)
            .into_iter()
            .map(|m| m.body)
            .collect()
    };
    assert_eq!(bodies(&["--limit", "2"]), ["4", "5"]);
    assert_eq!(bodies(&["--before", "demo/3"]), ["1", "2"]);
    assert_eq!(bodies(&["--after", "demo/2", "--limit", "2"]), ["3", "4"]);
    let text = home.room(["messages", "demo", "--limit", "2"]).ok();
    assert!(text.ends_with("2 of 5 messages\n"), "{text}");
    for (args, says) in [
        (["--before", "other/3"], "other/3 is not a message of demo"),
        (["--after", "demo/x"], "is not a handle"),
        (["--limit", "0"], "0 is not in 1..=500"),
    ] {
        let err = home.room(["messages", "demo"].iter().chain(&args)).fails(2);
        assert!(err.contains(says), "{err}");
    }
    assert!(
        home.room(["messages", "nowhere"])
            .fails(1)
            .contains("nowhere")
    );
}

#[test]
fn a_message_is_shown_whole() {
    let home = Home::with_demo();
    home.post("two\nlines\u{7}");
    let text = home.room(["show", "demo/1"]).ok();
    assert!(text.contains("[demo/1 from ana, a person"), "{text}");
    assert!(
        text.contains("\n> two\n> lines<U+0007>\nstatus: attached\n"),
        "{text}"
    );
    let run = home.start();
    home.inside(&run, ["read", "demo"]).ok();
    let text = timeless(&home.room(["show", "demo/1"]).ok());
    assert!(
        text.ends_with("\nstatus: taken\ntaken by other: read TT:TT:TT, confirmed\n"),
        "{text}"
    );
    assert!(home.room(["show", "demo/2"]).fails(1).contains("demo/2"));
    assert!(
        home.room(["show", "nowhere/1"])
            .fails(1)
            .contains("nowhere")
    );
    assert!(
        home.room(["show", "demo"])
            .fails(2)
            .contains("is not a handle")
    );
}

#[test]
fn what_nobody_took_can_be_taken_back() {
    let home = Home::with_demo();
    home.post("oops");
    assert_eq!(home.room(["withdraw", "demo/1"]).ok(), "demo/1 withdrawn\n");
    let run = home.start();
    home.post("seen");
    home.inside(&run, ["read", "demo"]).ok();
    let err = home.room(["withdraw", "demo/2"]).fails(1);
    assert!(err.contains("demo/2"), "{err}");
    let all: Vec<Message> = home.json(["messages", "demo"]);
    let status: Vec<_> = all.iter().map(|m| m.status).collect();
    assert_eq!(status, [Status::Withdrawn, Status::Taken]);
    assert!(
        home.room(["withdraw", "demo/9"])
            .fails(1)
            .contains("demo/9")
    );
}

#[test]
fn rooms_are_made_once_and_listed_by_name() {
    let home = Home::new();
    assert!(home.room(["rooms"]).ok().starts_with("no rooms yet"));
    assert_eq!(home.room(["create", "b"]).ok(), "b\n");
    assert_eq!(home.room(["create", "a"]).ok(), "a\n");
    assert_eq!(home.room(["create", "b"]).ok(), "b\n");
    home.room(["post", "b", "x"]).done();
    let rooms: Vec<Room> = home.json(["rooms"]);
    let seen: Vec<_> = rooms
        .iter()
        .map(|r| (r.name.as_str(), r.messages))
        .collect();
    assert_eq!(seen, [("a", 0), ("b", 1)]);
    let text = home.room(["rooms"]).ok();
    assert!(
        timeless(&text).contains("b     1         0     TT:TT:TT"),
        "{text}"
    );
    assert!(
        home.room(["create", "B"])
            .fails(2)
            .contains("is not a room name")
    );
}

#[test]
fn runs_are_listed_live_or_all() {
    let home = Home::with_demo();
    assert_eq!(home.room(["runs"]).ok(), "no live runs\n");
    assert_eq!(home.room(["runs", "--all"]).ok(), "no runs\n");
    let first = home.start();
    let second = home.start();
    home.room(["end", &first, "--exit-code", "7"]).ok();
    home.post("for the second");
    let live: Vec<Run> = home.json(["runs", "demo"]);
    assert_eq!(live.len(), 1);
    assert_eq!((live[0].id.as_str(), live[0].unread), (second.as_str(), 1));
    assert_eq!(live[0].state, RunState::Starting);
    let all: Vec<Run> = home.json(["runs", "--all"]);
    let seen: Vec<_> = all.iter().map(|r| (r.id.as_str(), r.exit_code)).collect();
    assert_eq!(seen, [(second.as_str(), None), (first.as_str(), Some(7))]);
    let text = home.room(["runs", "--all"]).ok();
    assert!(
        text.contains("starting") && text.contains("ended 7"),
        "{text}"
    );
    assert!(home.room(["runs", "nowhere"]).fails(1).contains("nowhere"));
}

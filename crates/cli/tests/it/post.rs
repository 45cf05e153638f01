//! `room post`

use std::os::unix::ffi::OsStringExt;

use room_protocol::{AuthorKind, Message, limits};

use crate::home::{Home, Ran, lines, until};

#[test]
fn words_come_from_the_argument_or_from_standard_input() {
    let home = Home::with_demo();
    assert_eq!(home.room(["post", "demo", "hello"]).done(), "demo/1\n");
    assert_eq!(home.piped(["post", "demo"], b"piped\n").done(), "demo/2\n");
    assert_eq!(
        home.piped(["post", "demo", "-"], b"a\r\nb\r\n").done(),
        "demo/3\n"
    );
    assert_eq!(home.piped(["post", "demo"], b"two\n\n").done(), "demo/4\n");
    let all: Vec<Message> = home.json(["messages", "demo"]);
    let bodies: Vec<_> = all.iter().map(|m| m.body.as_str()).collect();
    assert_eq!(bodies, ["hello", "piped", "a\r\nb", "two\n"]);
    assert!(all.iter().all(|m| m.author.name.as_str() == "ana"));
    assert!(all.iter().all(|m| m.author.kind == AuthorKind::Person));
}

#[test]
fn json_is_the_message() {
    let home = Home::with_demo();
    let out = home
        .room([
            "--json",
            "post",
            "demo",
            "x\u{1b}[2J\u{202e}",
            "--as",
            "Ana María",
        ])
        .ok();
    assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out:?}");
    let sent: Vec<Message> = lines(&out);
    assert_eq!(sent, [home.message("demo/1")]);
    assert_eq!(sent[0].body, "x\u{1b}[2J\u{202e}");
    assert_eq!(sent[0].author.name.as_str(), "Ana María");
}

#[test]
fn a_message_names_whom_it_is_for_and_what_it_answers() {
    let home = Home::with_demo();
    let run = home.start();
    home.post("one");
    home.post("two");
    let args = ["post", "demo", "three", "--to", &run, "--reply", "demo/1"];
    let quotes = ["--quote", "demo/1", "--quote", "demo/2"];
    home.room(args.iter().chain(&quotes)).ok();
    let message = home.message("demo/3");
    assert_eq!(message.to.unwrap().as_str(), run);
    assert_eq!(message.reply_to.unwrap().to_string(), "demo/1");
    let quoted: Vec<_> = message.quotes.iter().map(ToString::to_string).collect();
    assert_eq!(quoted, ["demo/1", "demo/2"]);
}

#[test]
fn the_author_is_room_as_or_the_user() {
    let home = Home::with_demo();
    let by = |name: &str, value: &str| {
        let mut command = home.command(["post", "demo", "x", "--json"]);
        let ran = Ran::of(&command.env(name, value).output().unwrap());
        lines::<Message>(&ran.ok())[0].author.name.to_string()
    };
    assert_eq!(by("ROOM_AS", "bo"), "bo");
    assert_eq!(by("ROOM_AS", ""), "ana");
    assert_eq!(by("USER", "a\nb"), "person");
    let mut command = home.command(["post", "demo", "x"]);
    let ran = Ran::of(&command.env("ROOM_AS", "a]b").output().unwrap());
    assert!(ran.fails(2).contains("ROOM_AS: \"a]b\" is not a name"));
}

#[test]
fn what_is_no_message_is_not_sent() {
    let home = Home::with_demo();
    let text = std::ffi::OsString::from_vec(b"ab\xff".to_vec());
    let args = ["post".into(), "demo".into(), text];
    assert!(home.room(args).fails(1).contains("byte 3 is not"));
    assert!(
        home.piped(["post", "demo"], b"\xc3(")
            .fails(1)
            .contains("UTF-8")
    );
    assert!(home.room(["post", "demo", ""]).fails(1).contains("empty"));
    assert!(
        home.piped(["post", "demo"], b"\n")
            .fails(1)
            .contains("empty")
    );
    let most = vec![b'x'; limits::BODY_BYTES];
    let more = [&most[..], b"x"].concat();
    for text in [
        &more[..],
        &[&more[..], b"\n"].concat(),
        &vec![b'y'; 1 << 20],
    ] {
        let err = home.piped(["post", "demo"], text).fails(1);
        assert!(err.contains("65536 bytes at most") && err.contains("nothing was sent"));
    }
    assert_eq!(
        home.room(["messages", "demo"]).ok(),
        "no messages in demo\n"
    );
    home.piped(["post", "demo"], &[&most[..], b"\n"].concat())
        .done();
    assert_eq!(home.message("demo/1").body.len(), limits::BODY_BYTES);
}

#[test]
fn bad_names_and_handles_say_what_they_should_be() {
    let home = Home::with_demo();
    for (args, code, says) in [
        (&["post", "Demo", "x"][..], 2, "\"Demo\" is not a room name"),
        (
            &["post", "demo", "x", "--as", "a\u{1b}b"],
            2,
            "is not a name",
        ),
        (
            &["post", "demo", "x", "--reply", "demo"],
            2,
            "is not a handle",
        ),
        (
            &["post", "demo", "x", "--to", "a/b\u{1b}"],
            1,
            "id or name of a live run",
        ),
        (&["post", "demo", "x", "--key", ""], 2, "--key has 0 bytes"),
        (&["post", "demo", "x", "y"], 2, "unexpected argument 'y'"),
        (&["post"], 2, "required arguments"),
        (&["post", "nowhere", "x"], 1, "no room nowhere"),
        (&["post", "demo", "x", "--reply", "demo/9"], 1, "demo/9"),
        (
            &["post", "demo", "x", "--to", "nobody"],
            1,
            "nobody is no run in demo: give the id or name of a live run",
        ),
    ] {
        let err = home.room(args).fails(code);
        assert!(err.contains(says), "{args:?}: {err}");
        assert!(!err.contains('\u{1b}'), "{err:?}");
    }
    assert_eq!(
        home.room(["messages", "demo"]).ok(),
        "no messages in demo\n"
    );
}

#[test]
fn a_key_makes_a_second_post_the_first() {
    let home = Home::with_demo();
    let args = ["post", "demo", "once", "--key", "k1"];
    assert_eq!(home.room(args).done(), "demo/1\n");
    assert_eq!(home.room(args).done(), "demo/1\n");
    let err = home.room(["post", "demo", "other", "--key", "k1"]).fails(1);
    assert!(err.contains("k1") || err.contains("key"), "{err}");
}

#[test]
fn posts_outlive_a_daemon_that_is_killed_again_and_again() {
    let home = Home::with_demo();
    std::thread::scope(|scope| {
        let posting = scope.spawn(|| {
            (0..30).for_each(|i| drop(home.post(&format!("message {i}"))));
        });
        for _ in 0..3 {
            let before = home.count();
            until("posts go on", || {
                posting.is_finished() || home.count() > before + 3
            });
            home.kill_daemon();
        }
        posting.join().unwrap();
    });
    let all: Vec<Message> = home.json(["messages", "demo", "--limit", "100"]);
    let bodies: Vec<_> = all.iter().map(|m| m.body.clone()).collect();
    let expected: Vec<_> = (0..30).map(|i| format!("message {i}")).collect();
    assert_eq!(bodies, expected);
}

#[test]
fn inside_a_run_the_run_posts() {
    let home = Home::with_demo();
    let run = home.start();
    assert_eq!(home.inside(&run, ["post", "demo", "mine"]).ok(), "demo/1\n");
    let author = home.message("demo/1").author;
    assert_eq!(author.kind, AuthorKind::Agent);
    assert_eq!(author.run.unwrap().as_str(), run);
    let err = home.inside(&run, ["post", "other", "x"]).fails(1);
    assert!(err.contains("this run is in room demo"), "{err}");
    let err = home
        .inside(&run, ["post", "demo", "x", "--as", "bo"])
        .fails(2);
    assert!(err.contains("leave --as out"), "{err}");
    home.room(["end", &run]).ok();
    let err = home.inside(&run, ["post", "demo", "x"]).fails(1);
    assert!(err.contains("has ended"), "{err}");
}

#[test]
fn a_run_that_cannot_reach_the_daemon_keeps_its_words_for_later() {
    let home = Home::with_demo();
    let run = home.start();
    home.room(["daemon", "stop"]).ok();
    let kept = home
        .inside(&run, ["post", "demo", "first", "--key", "k"])
        .ok();
    assert!(kept.contains("goes out with the next tool call"), "{kept}");
    let kept = home.inside(&run, ["post", "demo", "second", "--json"]).ok();
    let kept: Vec<serde_json::Value> = lines(&kept);
    assert!(kept[0]["kept"].as_str().unwrap().ends_with(".json"));
    assert_eq!(
        home.room(["daemon", "status"]).code,
        Some(75),
        "nothing was started"
    );
    home.room(["rooms"]).ok();
    assert_eq!(
        home.inside(&run, ["post", "demo", "third"]).ok(),
        "demo/3\n"
    );
    // Its own key went with it.
    assert_eq!(
        home.inside(&run, ["post", "demo", "first", "--key", "k"])
            .ok(),
        "demo/1\n"
    );
    let all: Vec<Message> = home.json(["messages", "demo"]);
    let bodies: Vec<_> = all.iter().map(|m| m.body.as_str()).collect();
    assert_eq!(bodies, ["first", "second", "third"]);
    assert!(all.iter().all(|m| m.author.kind == AuthorKind::Agent));
}

#[test]
fn a_run_that_can_neither_send_nor_keep_says_so() {
    let home = Home::with_demo();
    let run = home.start();
    home.room(["daemon", "stop"]).ok();
    // Holds back root too, whom permissions do not.
    let outbox = home.run_dir(&run).join("outbox");
    std::fs::remove_dir(&outbox).unwrap();
    std::fs::write(&outbox, "").unwrap();
    let err = home.inside(&run, ["post", "demo", "lost?"]).fails(75);
    assert!(
        err.contains("nothing was sent") && err.contains("outbox"),
        "{err}"
    );
}

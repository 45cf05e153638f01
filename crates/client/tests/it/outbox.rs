//! Posts that wait for a hook to hand them over.

use std::fs;
use std::time::Duration;

use room_client::outbox::{self, Delivered, Failure};
use room_client::{Client, DirError, RunDir};
use room_protocol::message::Post;
use room_protocol::{ProblemKind, limits};

use crate::dir::run;
use crate::server::{Server, json, problem};

fn post(body: &str) -> Post {
    Post {
        body: body.to_owned(),
        author: None,
        kind: None,
        to: None,
        reply_to: Some("demo/9".parse().unwrap()),
        quotes: Vec::new(),
        key: None,
    }
}

fn bodies(server: &Server) -> Vec<(String, String)> {
    server
        .requests()
        .iter()
        .map(|r| {
            let post: Post = serde_json::from_str(r.split_once("\r\n\r\n").unwrap().1).unwrap();
            (post.key.unwrap(), post.body)
        })
        .collect()
}

fn fill(run: &RunDir, n: usize) -> Vec<String> {
    (0..n)
        .map(|i| outbox::put(run, &post(&i.to_string())).unwrap())
        .collect()
}

#[test]
fn posts_keep_their_order_and_their_words() {
    let (dir, run) = run();
    assert!(outbox::is_empty(&run));
    assert_eq!(outbox::list(&run).unwrap(), Vec::<String>::new());
    let put = fill(&run, 40);
    assert_eq!(outbox::list(&run).unwrap(), put);
    assert!(!outbox::is_empty(&run));
    let third = outbox::get(&run, &put[3]).unwrap().unwrap();
    assert_eq!(
        (third.body.as_str(), third.key.as_ref()),
        ("3", Some(&put[3]))
    );
    assert_eq!(third.reply_to, post("").reply_to);
    assert!(put.iter().all(|name| name.len() <= limits::KEY_BYTES));
    // The clock was set back: what comes later still sorts behind.
    let future = format!("{:020}-0000000001.json", u64::MAX / 2);
    fs::copy(
        dir.path().join("outbox").join(&put[0]),
        dir.path().join("outbox").join(&future),
    )
    .unwrap();
    let after = outbox::put(&run, &post("after")).unwrap();
    assert_eq!(outbox::list(&run).unwrap()[40..], [future, after]);
    outbox::remove(&run, &put[3]).unwrap();
    outbox::remove(&run, &put[3]).unwrap();
    assert_eq!(outbox::get(&run, &put[3]).unwrap(), None);
}

#[test]
fn every_body_within_its_bound_comes_out_again() {
    let (_dir, run) = run();
    let worst = "\u{1}".repeat(limits::BODY_BYTES);
    let name = outbox::put(&run, &post(&worst)).unwrap();
    assert_eq!(outbox::get(&run, &name).unwrap().unwrap().body, worst);
    for bad in [String::new(), "x".repeat(limits::BODY_BYTES + 1)] {
        let refused = outbox::put(&run, &post(&bad));
        assert!(
            matches!(refused, Err(DirError::Refused { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(outbox::list(&run).unwrap().len(), 1);
}

#[test]
fn it_is_bounded() {
    let (_dir, run) = run();
    fill(&run, limits::OUTBOX_FILES);
    let full = outbox::put(&run, &post("one more")).unwrap_err();
    assert!(full.to_string().contains("full"), "{full}");
}

#[test]
fn handing_over_goes_in_order_and_each_once() {
    let (dir, run) = run();
    let put = fill(&run, 3);
    let server = Server::answering(vec![json("{}")]);
    let (done, failure) = outbox::deliver(&run, &server.client());
    assert!(failure.is_none(), "{failure:?}");
    assert_eq!(
        done,
        Delivered {
            posted: 3,
            refused: 0
        }
    );
    let expected: Vec<_> = put
        .into_iter()
        .zip(["0", "1", "2"].map(str::to_owned))
        .collect();
    assert_eq!(bodies(&server), expected);
    assert!(server.requests()[0].starts_with("POST /v1/run/messages HTTP/1.1\r\n"));
    assert!(outbox::is_empty(&run));
    assert_eq!(fs::read_dir(dir.path().join("outbox")).unwrap().count(), 0);
    let (done, _) = outbox::deliver(&run, &server.client());
    assert_eq!(done, Delivered::default());
}

#[test]
fn handing_over_stops_when_time_is_short() {
    let (_dir, run) = run();
    let put = fill(&run, 3);
    let server = Server::answering(vec![json("{}")]);
    let left = std::cell::Cell::new(2);
    let go_on = || left.replace(left.get() - 1) > 0;
    let (done, failure) = outbox::deliver_while(&run, &server.client(), go_on);
    assert!(failure.is_none(), "{failure:?}");
    assert_eq!(done.posted, 2);
    assert_eq!(outbox::list(&run).unwrap(), put[2..]);
}

#[test]
fn what_may_go_through_later_stays_and_so_does_what_comes_after_it() {
    let (_dir, run) = run();
    let put = fill(&run, 3);
    let server = Server::answering(vec![
        json("{}"),
        problem(ProblemKind::StorageFull, "the disk is full"),
    ]);
    let (done, failure) = outbox::deliver(&run, &server.client());
    assert_eq!(
        done,
        Delivered {
            posted: 1,
            refused: 0
        }
    );
    assert_eq!(failure.unwrap().to_string(), "the disk is full");
    assert_eq!(outbox::list(&run).unwrap(), put[1..]);
    // The run's credential is gone: that says nothing about the posts.
    let over = Server::answering(vec![problem(
        ProblemKind::Unauthorized,
        "the run has ended",
    )]);
    let (done, failure) = outbox::deliver(&run, &over.client());
    assert_eq!(done, Delivered::default());
    assert!(matches!(failure, Some(Failure::Daemon(_))));
    let nobody = Client::new("/nowhere/s").deadline(Duration::from_secs(1));
    assert!(outbox::deliver(&run, &nobody).1.is_some());
    assert_eq!(outbox::list(&run).unwrap(), put[1..]);
}

#[test]
fn what_can_never_go_through_moves_aside() {
    let (dir, run) = run();
    let put = fill(&run, 2);
    let sub = |name: &str| dir.path().join("outbox").join(name);
    fs::write(sub("0-not-json"), "{").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sub("1-link")).unwrap();
    let server = Server::answering(vec![
        problem(ProblemKind::NotFound, "no message demo/9"),
        json("{}"),
    ]);
    let (done, failure) = outbox::deliver(&run, &server.client());
    assert!(failure.is_none(), "{failure:?}");
    // "0-…" and "1-…" sort behind the zeros of a post's own name and before nothing else of ours.
    assert_eq!(
        done,
        Delivered {
            posted: 1,
            refused: 3
        }
    );
    assert!(outbox::is_empty(&run));
    for name in [put[0].as_str(), "0-not-json", "1-link"] {
        assert!(
            fs::symlink_metadata(sub("refused").join(name)).is_ok(),
            "{name}"
        );
    }
    let log = fs::read_to_string(dir.path().join("hooks.log")).unwrap();
    assert!(
        log.contains(&format!("outbox/{} was refused: no message demo/9", put[0])),
        "{log}"
    );
    assert_eq!(log.lines().count(), 3);
}

#[test]
fn refused_posts_cannot_fill_the_disk() {
    let (dir, run) = run();
    for round in 0..3 {
        for n in 0..200 {
            let name = format!("{round}-{n}");
            fs::create_dir_all(dir.path().join("outbox")).unwrap();
            fs::write(dir.path().join("outbox").join(name), "{").unwrap();
        }
        let client = Client::new("/nowhere/s");
        let (done, failure) = outbox::deliver(&run, &client);
        assert!(failure.is_none(), "{failure:?}");
        assert_eq!(done.refused, 200);
    }
    let kept = fs::read_dir(dir.path().join("outbox/refused"))
        .unwrap()
        .count();
    assert_eq!(kept, limits::OUTBOX_FILES);
}

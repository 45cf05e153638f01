//! `hooks.log`.

use std::fs;
use std::sync::Barrier;

use room_client::RunDir;
use room_protocol::layout::run_files::{LOG, LOG_OLD};
use room_protocol::limits::HOOKS_LOG_BYTES;

use crate::dir::run;

#[test]
fn a_line_tells_when_and_who_and_stays_one_line() {
    let (dir, run) = run();
    run.log("first\nsecond \u{1b}[31m");
    run.log(&"x".repeat(10_000));
    let text = fs::read_to_string(dir.path().join(LOG)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    let pid = std::process::id();
    assert!(
        lines[0].ends_with(&format!("Z [{pid}] first ⏎ second <U+001B>[31m")),
        "{}",
        lines[0]
    );
    assert!(lines[1].len() < 1_000);
}

#[test]
fn a_full_log_moves_aside_once() {
    let (dir, run) = run();
    let size = |name| fs::metadata(dir.path().join(name)).map_or(0, |m| m.len());
    for n in 0..1_000 {
        run.log(&format!("{n} {}", "x".repeat(300)));
        assert!(size(LOG) <= HOOKS_LOG_BYTES && size(LOG_OLD) <= HOOKS_LOG_BYTES);
    }
    let read = |name| fs::read_to_string(dir.path().join(name)).unwrap();
    let all = read(LOG_OLD) + &read(LOG);
    let kept: Vec<u32> = all
        .lines()
        .map(|l| l.split(' ').nth(2).unwrap().parse().unwrap())
        .collect();
    // The newest, none missing.
    assert!(kept.len() > 150);
    assert_eq!(
        kept,
        (1_000 - u32::try_from(kept.len()).unwrap()..1_000).collect::<Vec<_>>()
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn many_at_once_lose_no_line_to_the_rotation() {
    // Each round begins just below the bound, so that all go over it at once.
    let line = format!("before {}\n", "b".repeat(92));
    let before = usize::try_from(HOOKS_LOG_BYTES).unwrap() / line.len();
    for _ in 0..200 {
        let (dir, _run) = run();
        fs::write(dir.path().join(LOG), line.repeat(before)).unwrap();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let run = RunDir::open(dir.path()).unwrap();
                    start.wait();
                    run.log(&"m".repeat(380));
                });
            }
        });
        let read = |name| fs::read_to_string(dir.path().join(name)).unwrap();
        let all = read(LOG_OLD) + &read(LOG);
        assert_eq!(all.lines().count(), before + 8);
    }
}

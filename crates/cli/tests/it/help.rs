//! The whole help: a change of the command line shows here.

use std::fmt::Write;

use crate::home::{Home, Ran};

const VERBS: [&str; 20] = [
    "run",
    "post",
    "read",
    "messages",
    "show",
    "withdraw",
    "wait",
    "runs",
    "watch",
    "start",
    "end",
    "prompt",
    "create",
    "rooms",
    "install",
    "uninstall",
    "doctor",
    "demo",
    "daemon",
    "daemon stop",
];

#[test]
fn the_whole_help() {
    let home = Home::new();
    let help = |verb: &str| home.room(verb.split_whitespace().chain(["--help"])).ok();
    let mut all = help("");
    for verb in VERBS {
        write!(all, "\n=== room {verb} ===\n\n{}", help(verb)).unwrap();
    }
    insta::assert_snapshot!(all);
    for verb in VERBS {
        let first = verb.split(' ').next().unwrap();
        assert!(
            all.contains(&format!("\n  {first} ")),
            "{first} is not in the list"
        );
    }
}

#[test]
fn the_version_and_what_is_no_verb() {
    let home = Home::new();
    let version = concat!("room ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(home.room(["--version"]).ok(), version);
    assert!(home.room(["nonsense"]).fails(2).contains("nonsense"));
    assert!(
        home.room(["help", "nonsense"])
            .fails(2)
            .contains("nonsense")
    );
    // Without a verb it is the help that is wanted, and nothing was done.
    let help = home.room(["--help"]).ok();
    let bare = home.room([""; 0]);
    assert_eq!((bare.code, bare.out.as_str()), (Some(2), ""));
    assert_eq!(bare.err, help);
    assert_eq!(home.room(["help"]).ok(), help);
    let wait = home.room(["wait", "--help"]).ok();
    assert_eq!(home.room(["help", "wait"]).ok(), wait);
    assert!(wait.contains("exit code 75"), "{wait}");
    assert!(!home.path().exists());
}

#[test]
fn a_reader_of_help_that_leaves_is_no_failure() {
    let home = Home::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = home.command(["--help"]).stdout(writer).output().unwrap();
    assert_eq!(Ran::of(&output).ok(), "");
}

use super::*;

const MAIN: Process = Process {
    pid: 10,
    started: 1,
};
const OTHER: Process = Process {
    pid: 20,
    started: 2,
};

fn bound(session: &str, process: Option<Process>) -> Bound {
    Bound {
        session: Some(session.to_owned()),
        process,
        ended: false,
    }
}

fn seen(session: &str, process: Option<Process>) -> Seen {
    Seen {
        session: Some(session.to_owned()),
        process,
        told: true,
        launched: Launched::Unknown,
        follows: false,
    }
}

fn ours(bound: Option<&Bound>, seen: Seen, alive: bool) -> bool {
    matches!(decide(bound, &seen, |_| alive), Verdict::Ours(_))
}

#[test]
fn without_a_launcher_the_first_session_is_bound() {
    assert_eq!(
        decide(None, &seen("a", Some(MAIN)), |_| true),
        Verdict::Ours(bound("a", Some(MAIN)))
    );
    let a = bound("a", Some(MAIN));
    assert!(ours(Some(&a), seen("a", Some(MAIN)), true));
    assert!(!ours(Some(&a), seen("b", Some(OTHER)), true), "nested");
    assert!(
        !ours(Some(&a), seen("a", Some(OTHER)), true),
        "the same conversation in a second process"
    );
    assert!(
        !ours(Some(&a), seen("b", Some(MAIN)), true),
        "another conversation of the same process, which did not announce itself"
    );
}

#[test]
fn a_process_that_was_only_guessed_does_not_part_a_session_from_itself() {
    let a = bound("a", Some(MAIN));
    let guessed = |session| Seen {
        told: false,
        ..seen(session, Some(OTHER))
    };
    assert!(ours(Some(&a), guessed("a"), true));
    assert!(!ours(Some(&a), guessed("b"), true));
}

#[test]
fn it_moves_with_the_process_and_after_its_end() {
    let a = bound("a", Some(MAIN));
    let follows = |process| Seen {
        follows: true,
        ..seen("b", Some(process))
    };
    assert!(ours(Some(&a), follows(MAIN), true), "clear in one process");
    assert!(!ours(Some(&a), follows(OTHER), true), "a fork beside it");
    assert!(ours(Some(&a), seen("b", Some(OTHER)), false), "it died");
    let ended = Bound { ended: true, ..a };
    assert_eq!(
        decide(Some(&ended), &seen("b", Some(OTHER)), |_| true),
        Verdict::Ours(bound("b", Some(OTHER)))
    );
    assert!(ours(Some(&ended), seen("b", Some(MAIN)), true));
}

#[test]
fn where_no_process_is_known_the_sessions_name_decides() {
    let a = bound("a", None);
    assert!(ours(Some(&a), seen("a", None), true));
    assert!(!ours(Some(&a), seen("b", None), true));
    assert!(!ours(Some(&a), seen("b", Some(MAIN)), true));
    let follows = Seen {
        follows: true,
        ..seen("b", None)
    };
    assert!(ours(Some(&a), follows, true));
    let nameless = Seen {
        session: None,
        ..seen("", None)
    };
    assert_eq!(
        decide(Some(&a), &nameless, |_| true),
        Verdict::Ours(bound("a", None)),
        "a payload without a session changes nothing"
    );
}

#[test]
fn a_launchers_child_is_the_session_and_what_is_elsewhere_is_not() {
    let with = |launched, session, process| Seen {
        launched,
        ..seen(session, Some(process))
    };
    let a = bound("a", Some(MAIN));
    let other = bound("n", Some(OTHER));
    assert!(ours(Some(&a), with(Launched::Itself, "b", MAIN), true));
    assert!(
        ours(Some(&other), with(Launched::Itself, "a", MAIN), true),
        "even when something nested was faster"
    );
    assert!(!ours(None, with(Launched::Elsewhere, "a", OTHER), true));
    assert!(
        ours(None, with(Launched::Below, "a", OTHER), true),
        "wrapper"
    );
    assert!(!ours(Some(&a), with(Launched::Below, "b", OTHER), true));
    assert!(ours(Some(&a), with(Launched::Below, "b", OTHER), false));
    assert!(ours(Some(&a), with(Launched::Below, "b", MAIN), true));
}

use room_protocol::Proof;
use room_protocol::runfile::GitPolicy;

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_ms(1_796_047_331_000 + seconds * 1000)
}

fn record() -> RunRecord {
    RunRecord {
        id: "demo-1".parse().unwrap(),
        room: "demo".parse().unwrap(),
        name: "claude".parse().unwrap(),
        cli: "claude".to_owned(),
        credential_hash: [0; 32],
        git: GitPolicy::Off,
        history: true,
        opened_at: at(0),
        ended_at: None,
        exit_code: None,
        session: None,
        introduced: None,
        alive_at: at(0),
        active_at: at(0),
        last_tool: None,
    }
}

fn sign(event: &str, proof: Option<ProofKind>) -> Sign {
    Sign {
        event: event.to_owned(),
        proof: proof.map(|kind| Proof {
            kind,
            mark: "m".to_owned(),
        }),
        ..Sign::default()
    }
}

#[test]
fn a_run_starts_works_stops_and_goes_stale() {
    let mut pulse = Pulse::new(&record(), at(0));
    assert_eq!(pulse.state(at(1)), RunState::Starting);
    pulse.hear(&sign("process", None), at(2));
    assert_eq!(pulse.state(at(2)), RunState::Starting);
    pulse.hear(&sign("SessionStart", Some(ProofKind::Start)), at(3));
    assert_eq!(pulse.state(at(3)), RunState::Idle);
    assert_eq!(pulse.active_at, at(0));
    pulse.hear(&sign("UserPromptSubmit", Some(ProofKind::Prompt)), at(4));
    assert_eq!(pulse.state(at(4)), RunState::Working);
    let tool = Sign {
        tool: Some("Bash".to_owned()),
        ..sign("PostToolUse", Some(ProofKind::Tool))
    };
    pulse.hear(&tool, at(5));
    assert_eq!(pulse.last_tool.as_deref(), Some("Bash"));
    assert_eq!(pulse.active_at, at(5));
    pulse.hear(&sign("Stop", Some(ProofKind::Stop)), at(6));
    assert_eq!(pulse.state(at(6)), RunState::Idle);
    assert_eq!(pulse.state(at(125)), RunState::Idle);
    assert_eq!(pulse.state(at(126)), RunState::Stale);
    pulse.hear(&sign("process", None), at(127));
    assert_eq!(pulse.state(at(127)), RunState::Idle);
    assert_eq!((pulse.alive_at, pulse.active_at), (at(127), at(6)));
}

#[test]
fn a_stop_that_was_given_messages_is_work_until_they_are_given_back_or_run_out() {
    let mut pulse = Pulse::new(&record(), at(0));
    pulse.phase = Phase::Stopping(at(5));
    assert_eq!(pulse.state(at(4)), RunState::Working);
    assert_eq!(pulse.state(at(5)), RunState::Idle);
}

#[test]
fn a_subagent_moves_nothing_but_the_sign_of_life() {
    let mut pulse = Pulse::new(&record(), at(0));
    let subagent = Sign {
        tool: Some("Bash".to_owned()),
        agent_id: Some("a".to_owned()),
        cli: Some("codex".to_owned()),
        ..sign("PostToolUse", Some(ProofKind::Tool))
    };
    pulse.hear(&subagent, at(9));
    assert_eq!(pulse.alive_at, at(9));
    assert_eq!(pulse.active_at, at(0));
    assert_eq!(
        (pulse.last_tool.as_deref(), pulse.cli.as_str()),
        (None, "claude")
    );
    assert_eq!(pulse.state(at(9)), RunState::Starting);
}

#[test]
fn the_clock_may_step_back() {
    let mut pulse = Pulse::new(&record(), at(0));
    pulse.hear(&sign("UserPromptSubmit", None), at(50));
    pulse.hear(&sign("UserPromptSubmit", None), at(40));
    assert_eq!((pulse.alive_at, pulse.active_at), (at(50), at(50)));
}

#[test]
fn the_store_hears_of_work_soon_and_of_mere_life_seldom() {
    let mut pulse = Pulse::new(&record(), at(0));
    assert_eq!(pulse.unflushed(at(1), true), None);
    pulse.hear(&sign("process", None), at(10));
    assert_eq!(pulse.unflushed(at(10), false), None);
    assert!(pulse.unflushed(at(10), true).is_some());
    assert!(pulse.unflushed(at(60), false).is_some());
    pulse.hear(&sign("UserPromptSubmit", None), at(11));
    let patch = pulse.unflushed(at(11), false).unwrap();
    assert_eq!(
        (patch.alive_at, patch.active_at),
        (Some(at(11)), Some(at(11)))
    );
    assert_eq!((patch.cli.clone(), patch.session.clone()), (None, None));
    pulse.hear(&sign("UserPromptSubmit", None), at(12));
    pulse.flushed(&patch);
    assert!(pulse.unflushed(at(12), false).is_some(), "heard meanwhile");
}

#[test]
fn after_a_restart_a_run_is_what_its_record_says() {
    let fresh = record();
    assert_eq!(Pulse::new(&fresh, at(1)).state(at(1)), RunState::Starting);
    let mut worked = record();
    worked.active_at = at(100);
    worked.alive_at = at(100);
    assert_eq!(
        Pulse::new(&worked, at(110)).state(at(110)),
        RunState::Working
    );
    assert_eq!(Pulse::new(&worked, at(300)).state(at(300)), RunState::Stale);
    worked.alive_at = at(299);
    assert_eq!(Pulse::new(&worked, at(300)).state(at(300)), RunState::Idle);
}

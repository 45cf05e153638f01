//! Who is going to read a message, for the person who has posted it.

use std::time::Duration;

use room_protocol::operator::Runs;
use room_protocol::{Message, Run, RunState, frame};

use crate::daemon::Operator;
use crate::whom;

/// How long the question may take: the message is on its way already.
const WITHIN: Duration = Duration::from_secs(1);

/// That nobody reads the message soon, where that is so. An answer that does not come is no answer.
pub(super) fn none_soon(message: &Message, operator: &Operator) -> Option<String> {
    let path = whom::live(Some(&message.room));
    let runs: Runs = operator.get_within(&path, WITHIN).ok()?;
    words(message, &runs.runs)
}

fn words(message: &Message, live: &[Run]) -> Option<String> {
    let meant = |run: &&Run| message.to.as_ref().is_none_or(|to| *to == run.id);
    let runs: Vec<&Run> = live.iter().filter(meant).collect();
    if runs.is_empty() {
        let room = &message.room;
        return message
            .to
            .is_none()
            .then(|| format!("nobody is at work in {room}; the next run gets it"));
    }
    let all: Option<Vec<_>> = runs.into_iter().map(later).collect();
    all.map(|all| all.join("; "))
}

/// When a run reads it that does not read it soon.
fn later(run: &Run) -> Option<String> {
    let name = frame::terminal(run.name.as_str());
    match run.state {
        RunState::Idle => Some(format!(
            "{name} is idle: it reads this with its next prompt"
        )),
        RunState::Stale => Some(format!(
            "{name} gives no sign of life: it reads this if it goes on (room runs tells)"
        )),
        RunState::Starting | RunState::Working | RunState::Ended => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, state: RunState) -> Run {
        let at = "2026-11-30T14:02:11.000Z";
        serde_json::from_value(serde_json::json!({
            "id": format!("demo-{name}"), "room": "demo", "name": name, "cli": "claude",
            "state": state, "opened_at": at, "alive_at": at, "active_at": at, "unread": 1
        }))
        .unwrap()
    }

    fn message(to: Option<&str>) -> Message {
        serde_json::from_value(serde_json::json!({
            "id": "01900000-0000-7000-8000-000000000001", "room": "demo", "number": 1,
            "handle": "demo/1", "author": {"name": "ana", "kind": "person"}, "body": "x",
            "sent_at": "2026-11-30T14:02:11.000Z", "status": "queued", "deliveries": [], "to": to
        }))
        .unwrap()
    }

    #[test]
    fn one_run_at_work_is_enough_to_say_nothing() {
        let (idle, stale) = (run("al", RunState::Idle), run("bo", RunState::Stale));
        let all = words(&message(None), &[idle.clone(), stale.clone()]).unwrap();
        assert!(
            all.starts_with("al is idle: it reads this with its next prompt; bo gives no sign"),
            "{all}"
        );
        for state in [RunState::Starting, RunState::Working] {
            let runs = [idle.clone(), run("cy", state)];
            assert_eq!(words(&message(None), &runs), None);
            let said = words(&message(Some("demo-al")), &runs).unwrap();
            assert!(said.starts_with("al is idle"), "{said}");
            assert_eq!(words(&message(Some("demo-cy")), &runs), None);
        }
        let nobody = words(&message(None), &[]).unwrap();
        assert_eq!(nobody, "nobody is at work in demo; the next run gets it");
    }
}

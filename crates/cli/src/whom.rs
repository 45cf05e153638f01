//! A run as somebody names it: by its id, or by the name that a live run has.

use room_protocol::operator::Runs;
use room_protocol::{RoomName, Run, RunId, frame};

use crate::daemon::Operator;
use crate::failure::Failure;

/// How a command line names a run.
pub const NAMES: &str = "id or name of a live run";

/// The question for the live runs, of a room or of all.
pub fn live(room: Option<&RoomName>) -> String {
    match room {
        Some(room) => format!("/v1/runs?room={room}&live=true"),
        None => "/v1/runs?live=true".to_owned(),
    }
}

/// The run that `text` names: a live one, of this room where one is given, by its id or its name; one
/// that has ended, or is in another room, only by its id.
///
/// # Errors
/// When there is none, or several live runs have the name.
pub fn find(text: &str, room: Option<&RoomName>, operator: &Operator) -> Result<RunId, Failure> {
    if let Some(run) = among(&operator.get(&live(room))?, text)? {
        return Ok(run);
    }
    let Ok(id) = text.parse::<RunId>() else {
        return Err(nobody(text, room));
    };
    match operator.get::<Run>(&format!("/v1/runs/{id}")) {
        Ok(run) => Ok(run.id),
        Err(Failure::Refused(_)) => Err(nobody(text, room)),
        Err(other) => Err(other),
    }
}

/// Which of the live runs `text` means: the one with this id, else the only one with this name. `None`
/// where it is neither.
///
/// # Errors
/// When several live runs have this name.
pub fn among(runs: &Runs, text: &str) -> Result<Option<RunId>, Failure> {
    let with = |is: &dyn Fn(&Run) -> bool| -> Vec<&Run> {
        runs.runs.iter().filter(|run| is(run)).collect()
    };
    let mut found = with(&|run| run.id.as_str() == text);
    if found.is_empty() {
        found = with(&|run| run.name.as_str() == text);
    }
    match found[..] {
        [] => Ok(None),
        [run] => Ok(Some(run.id.clone())),
        _ => {
            let all: Vec<_> = found.iter().map(|run| run.id.as_str()).collect();
            Err(Failure::Refused(format!(
                "several live runs are called {}: give the id of one ({})",
                frame::preview(text, 64),
                all.join(", ")
            )))
        }
    }
}

/// That nothing is called so.
pub fn nobody(text: &str, room: Option<&RoomName>) -> Failure {
    let place = room.map_or(String::new(), |room| format!(" in {room}"));
    Failure::Refused(format!(
        "{} is no run{place}: give the {NAMES} (room runs lists them)",
        frame::preview(text, 64)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(all: &[(&str, &str)]) -> Runs {
        let run = |(id, name): &(&str, &str)| {
            serde_json::from_value(serde_json::json!({
                "id": id, "room": "demo", "name": name, "cli": "claude", "state": "working",
                "opened_at": "2026-11-30T14:02:11.000Z", "alive_at": "2026-11-30T14:02:11.000Z",
                "active_at": "2026-11-30T14:02:11.000Z", "unread": 0
            }))
            .unwrap()
        };
        Runs {
            runs: all.iter().map(run).collect(),
        }
    }

    #[test]
    fn an_id_goes_before_a_name_and_a_name_must_be_one_runs() {
        let runs = runs(&[
            ("demo-1", "claude"),
            ("demo-2", "demo-1"),
            ("x-3", "claude"),
        ]);
        let id = |text: &str| among(&runs, text).map(|run| run.map(|run| run.to_string()));
        assert_eq!(id("demo-1"), Ok(Some("demo-1".to_owned())));
        assert_eq!(id("x-3"), Ok(Some("x-3".to_owned())));
        assert_eq!(id("codex"), Ok(None));
        assert!(matches!(id("claude"), Err(Failure::Refused(why)) if why.contains("demo-1, x-3")));
    }
}

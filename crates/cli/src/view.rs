//! Messages, runs and times as a person reads them. Everything untrusted goes through
//! [`frame::terminal`] or [`frame::preview`].

use std::collections::HashMap;
use std::time::Duration;

use room_protocol::{
    Author, AuthorKind, Delivery, Message, Run, RunId, RunState, Status, Timestamp, frame,
};

use crate::daemon::Operator;
use crate::failure::Failure;
use crate::output::{Cell, Paint};

/// Characters of a body that a listing shows.
pub const PREVIEW_CHARS: usize = 60;

/// The names of runs, asked for as they are needed.
#[derive(Debug, Default)]
pub struct Names(HashMap<RunId, String>);

impl Names {
    /// The names of all runs that were shown one of these messages.
    ///
    /// # Errors
    /// When the daemon cannot be reached.
    pub fn of_takers(messages: &[Message], operator: &Operator) -> Result<Self, Failure> {
        let mut names = Self::default();
        for delivery in messages.iter().flat_map(|m| &m.deliveries) {
            names.learn(&delivery.run, operator)?;
        }
        Ok(names)
    }

    /// Asks for a run's name, where it is not known yet.
    ///
    /// # Errors
    /// When the daemon cannot be reached. A run that it does not know keeps its id for a name.
    pub fn learn(&mut self, run: &RunId, operator: &Operator) -> Result<(), Failure> {
        if !self.0.contains_key(run) {
            let name = match operator.get::<Run>(&format!("/v1/runs/{run}")) {
                Ok(run) => frame::terminal(run.name.as_str()),
                Err(Failure::Refused(_)) => run.to_string(),
                Err(other) => return Err(other),
            };
            self.0.insert(run.clone(), name);
        }
        Ok(())
    }

    /// A run's name, else its id.
    pub fn get<'a>(&'a self, run: &'a RunId) -> &'a str {
        self.0.get(run).map_or(run.as_str(), String::as_str)
    }
}

/// A time of day, with the date when that is another day than today.
pub fn time(at: Timestamp, now: Timestamp) -> String {
    let (at_text, now_text) = (at.to_string(), now.to_string());
    let (day, today) = (&at_text[..10], &now_text[..10]);
    if day == today {
        at.clock()
    } else {
        format!("{day} {}", at.clock())
    }
}

/// A length of time in its two largest units at most.
pub fn ago(length: Duration) -> String {
    let s = length.as_secs();
    match s {
        0..60 => format!("{s}s"),
        60..3_600 => format!("{}m{:02}s", s / 60, s % 60),
        3_600..86_400 => format!("{}h{:02}m", s / 3_600, s / 60 % 60),
        _ => format!("{}d{:02}h", s / 86_400, s / 3_600 % 24),
    }
}

/// `ana`, or for an agent `codex-2 (agent)`.
pub fn author(author: &Author) -> String {
    let name = frame::terminal(author.name.as_str());
    match author.kind {
        AuthorKind::Person => name,
        AuthorKind::Agent => format!("{name} (agent)"),
    }
}

/// `claude relayed 14:02:13, confirmed`.
pub fn delivery(d: &Delivery, names: &Names, now: Timestamp) -> String {
    format!("{} {}", names.get(&d.run), taken(d, now))
}

/// How and when: `relayed 14:02:13, confirmed`.
pub fn taken(d: &Delivery, now: Timestamp) -> String {
    let state = match (d.returned_at, d.confirmed) {
        (Some(at), _) => format!("returned {}", time(at, now)),
        (None, true) => "confirmed".to_owned(),
        (None, false) => "unconfirmed".to_owned(),
    };
    format!("{} {}, {state}", d.how.as_str(), time(d.at, now))
}

/// All of a message's deliveries on one line.
pub fn deliveries(m: &Message, names: &Names, now: Timestamp) -> String {
    if m.deliveries.is_empty() {
        return "-".to_owned();
    }
    let all: Vec<_> = m
        .deliveries
        .iter()
        .map(|d| delivery(d, names, now))
        .collect();
    all.join("; ")
}

/// A message's status, in its colour.
pub fn status(status: Status) -> Cell {
    let paint = match status {
        Status::Taken => Paint::Good,
        Status::Queued | Status::Attached => Paint::Waiting,
        Status::Withdrawn => Paint::Faint,
        Status::Failed => Paint::Bad,
    };
    Cell::painted(paint, status.to_string())
}

/// A run's state, in its colour.
pub fn state(state: RunState) -> Cell {
    let paint = match state {
        RunState::Working => Paint::Good,
        RunState::Starting | RunState::Idle => Paint::Waiting,
        RunState::Stale => Paint::Bad,
        RunState::Ended => Paint::Faint,
    };
    Cell::painted(paint, state.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_name_the_day_only_when_it_is_another() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-30T14:02:11.000Z");
        assert_eq!(time(at("2026-11-30T03:00:01.000Z"), now), "03:00:01");
        assert_eq!(
            time(at("2026-11-29T23:59:59.999Z"), now),
            "2026-11-29 23:59:59"
        );
    }

    #[test]
    fn lengths_have_two_units_at_most() {
        for (s, text) in [
            (0, "0s"),
            (61, "1m01s"),
            (3_600, "1h00m"),
            (90_000, "1d01h"),
        ] {
            assert_eq!(ago(Duration::from_secs(s)), text);
        }
    }
}

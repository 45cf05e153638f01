//! A run's signs of life, in memory. The store hears of them now and then.

use std::time::Duration;

use room_protocol::lane::Sign;
use room_protocol::limits::STALE_AFTER;
use room_protocol::{ProofKind, RunState, Timestamp};
use room_store::{RunPatch, RunRecord};

/// A run that only lives, without working, tells the store so no more often than this: an idle
/// machine's disk may sleep.
const ALIVE_FLUSH: Duration = Duration::from_secs(60);

/// Where a run stands between a prompt and a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No hook was heard of.
    Starting,
    /// At work.
    Working,
    /// Asked to stop and was given messages; when no block follows by then, it has stopped.
    Stopping(Timestamp),
    /// Its last stop went through.
    Idle,
}

/// What a sign tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The process or a subagent lives; nothing is known of the run's own work.
    Alive,
    /// A session began.
    Start,
    /// A session ended.
    End,
    /// A prompt, a tool call, reading: work.
    Work,
    /// The agent wants to finish.
    Stop,
}

impl Moment {
    /// What a sign tells. The proof's kind speaks for every agent CLI; the event's name only where
    /// there is none.
    pub fn of(sign: &Sign) -> Self {
        if sign.agent_id.is_some() || sign.event == "process" {
            return Self::Alive;
        }
        match (sign.proof.as_ref().map(|p| p.kind), sign.event.as_str()) {
            (Some(ProofKind::Start), _) | (None, "SessionStart") => Self::Start,
            (Some(ProofKind::Stop), _) | (None, "Stop") => Self::Stop,
            (Some(_), _) | (None, "UserPromptSubmit" | "read") => Self::Work,
            (None, "SessionEnd") => Self::End,
            (None, _) if sign.tool.is_some() => Self::Work,
            (None, _) => Self::Alive,
        }
    }
}

/// What is known of a run's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    /// The last sign that its process lives.
    pub alive_at: Timestamp,
    /// The last sign of work.
    pub active_at: Timestamp,
    /// The last tool.
    pub last_tool: Option<String>,
    /// The agent CLI.
    pub cli: String,
    /// The session that takes the mail.
    pub session: Option<String>,
    /// The session in which the room was explained.
    pub introduced: Option<String>,
    /// Where it stands.
    pub phase: Phase,
    flushed: Flushed,
}

/// What the store knows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Flushed {
    alive_at: Timestamp,
    active_at: Timestamp,
    last_tool: Option<String>,
    cli: String,
}

impl Pulse {
    /// From what the store knows: after a restart, or at the opening.
    pub fn new(record: &RunRecord, now: Timestamp) -> Self {
        let heard = record.session.is_some() || record.active_at > record.opened_at;
        let phase = if !heard {
            Phase::Starting
        } else if now.since(record.active_at) < STALE_AFTER {
            Phase::Working
        } else {
            Phase::Idle
        };
        Self {
            alive_at: record.alive_at,
            active_at: record.active_at,
            last_tool: record.last_tool.clone(),
            cli: record.cli.clone(),
            session: record.session.clone(),
            introduced: record.introduced.clone(),
            phase,
            flushed: Flushed {
                alive_at: record.alive_at,
                active_at: record.active_at,
                last_tool: record.last_tool.clone(),
                cli: record.cli.clone(),
            },
        }
    }

    /// Takes a sign in. A stop counts as passed until the run is given messages with it.
    pub fn hear(&mut self, sign: &Sign, now: Timestamp) {
        self.alive_at = self.alive_at.max(now);
        match Moment::of(sign) {
            Moment::Alive => return,
            Moment::Start => {
                if self.phase == Phase::Starting {
                    self.phase = Phase::Idle;
                }
            }
            Moment::End => self.phase = Phase::Idle,
            Moment::Work => {
                self.active_at = self.active_at.max(now);
                self.phase = Phase::Working;
            }
            Moment::Stop => {
                self.active_at = self.active_at.max(now);
                self.phase = Phase::Idle;
            }
        }
        if sign.tool.is_some() {
            self.last_tool.clone_from(&sign.tool);
        }
        if let Some(cli) = &sign.cli {
            self.cli.clone_from(cli);
        }
    }

    /// What the store should hear of now, if anything; `all`: whatever it does not know.
    pub fn unflushed(&self, now: Timestamp, all: bool) -> Option<RunPatch> {
        let known = &self.flushed;
        let worked = self.active_at != known.active_at
            || self.last_tool != known.last_tool
            || self.cli != known.cli;
        let lived =
            self.alive_at != known.alive_at && (all || now.since(known.alive_at) >= ALIVE_FLUSH);
        (worked || lived).then(|| RunPatch {
            cli: (self.cli != known.cli).then(|| self.cli.clone()),
            alive_at: Some(self.alive_at),
            active_at: Some(self.active_at),
            last_tool: Some(self.last_tool.clone()),
            ..RunPatch::default()
        })
    }

    /// The store has heard of a patch that [`Self::unflushed`] gave.
    pub fn flushed(&mut self, patch: &RunPatch) {
        if let Some(at) = patch.alive_at {
            self.flushed.alive_at = at;
        }
        if let Some(at) = patch.active_at {
            self.flushed.active_at = at;
        }
        if let Some(tool) = &patch.last_tool {
            self.flushed.last_tool.clone_from(tool);
        }
        if let Some(cli) = &patch.cli {
            self.flushed.cli.clone_from(cli);
        }
    }

    /// What the run is doing, as far as its signs tell.
    pub fn state(&self, now: Timestamp) -> RunState {
        if now.since(self.alive_at) >= STALE_AFTER {
            return RunState::Stale;
        }
        match self.phase {
            Phase::Starting => RunState::Starting,
            Phase::Working => RunState::Working,
            Phase::Stopping(until) if now < until => RunState::Working,
            Phase::Stopping(_) | Phase::Idle => RunState::Idle,
        }
    }
}

#[cfg(test)]
#[path = "pulse_tests.rs"]
mod tests;

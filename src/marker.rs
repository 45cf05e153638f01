//! The stop gate's memory: how often it held which chain of stops, so that it can never wedge a run.

use room_client::RunDir;
use room_protocol::limits::{GATE_AGENT_BLOCKS, GATE_BLOCKS};
use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::payload::Payload;

/// Which chain a stop belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chain {
    /// The CLI names it.
    Named(String),
    /// The CLI only says that this stop opens one.
    Opens(String),
    /// The CLI only says that this stop goes on with one.
    GoesOn(String),
    /// The CLI says nothing: one hold in the whole run.
    Unknown,
}

impl Chain {
    /// Ids go before `stop_hook_active`: a woken session starts a new chain with the flag already
    /// true.
    pub(crate) fn of(dialect: &dyn Dialect, payload: &Payload) -> Self {
        let session = payload.session.clone().unwrap_or_default();
        match (dialect.chain(payload), payload.stop_hook_active) {
            (Some(id), _) => Self::Named(format!("{session}/{id}")),
            (None, Some(false)) => Self::Opens(session),
            (None, Some(true)) => Self::GoesOn(session),
            (None, None) => Self::Unknown,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Opens(name) | Self::GoesOn(name) => name,
            Self::Unknown => "",
        }
    }
}

/// The contents of a marker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    /// Which chain was held.
    chain: String,
    /// How often.
    count: u32,
    /// How often of these only for agents' words.
    #[serde(default)]
    for_agents: u32,
}

impl Marker {
    /// How often the chain was held. A marker that makes no sense counts as none: holding writes it
    /// anew, or does not hold.
    pub(crate) fn read(dir: &RunDir, name: &str, chain: &Chain) -> Self {
        let held = match dir.read_json::<Self>(name) {
            Ok(held) => held,
            Err(e) => {
                dir.log(&format!("the gate's marker is ignored: {e}"));
                None
            }
        };
        Self::at(held, chain)
    }

    fn at(held: Option<Self>, chain: &Chain) -> Self {
        let same = |held: &Self| match chain {
            Chain::Opens(_) => false,
            Chain::Named(_) | Chain::GoesOn(_) => held.chain == chain.name(),
            Chain::Unknown => true,
        };
        held.filter(same).unwrap_or_else(|| Self {
            chain: chain.name().to_owned(),
            ..Self::default()
        })
    }

    /// For somebody who looks: which chain, and how often it was held.
    pub(crate) fn told(&self, chain: &Chain) -> String {
        let which = match chain {
            Chain::Named(name) => name.as_str(),
            Chain::Opens(_) => "this stop opens one",
            Chain::GoesOn(_) => "this stop goes on with one",
            Chain::Unknown => "the CLI does not tell, so the whole run is one",
        };
        format!(
            "{which}; held so far: {} of {GATE_BLOCKS}, for agents' messages alone: {} of {GATE_AGENT_BLOCKS}",
            self.count, self.for_agents
        )
    }

    /// Whether the chain may be held for messages: with a person's words among those that wait, or
    /// only with agents'.
    pub(crate) fn may_hold_for_messages(&self, chain: &Chain, person: bool) -> bool {
        let most = match chain {
            Chain::Unknown => 1,
            _ => GATE_BLOCKS,
        };
        self.count < most && (person || self.for_agents < GATE_AGENT_BLOCKS)
    }

    /// Whether the chain may be held for the repository.
    pub(crate) fn may_hold_for_git(&self) -> bool {
        self.count == 0
    }

    /// Counts one more hold, before the stop is held. Without it there is none.
    pub(crate) fn count(&self, dir: &RunDir, name: &str, person: bool) -> bool {
        let more = Self {
            chain: self.chain.clone(),
            count: self.count.saturating_add(1),
            for_agents: self.for_agents.saturating_add(u32::from(!person)),
        };
        let written = serde_json::to_vec(&more)
            .map_err(|e| e.to_string())
            .and_then(|json| dir.write(name, &json).map_err(|e| e.to_string()));
        if let Err(e) = &written {
            dir.log(&format!(
                "the stop is let go, since no marker can be written: {e}"
            ));
        }
        written.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::choose;

    fn chain(cli: &str, prompt: Option<&str>, flag: Option<bool>) -> Chain {
        let payload = Payload {
            session: Some("s".to_owned()),
            prompt_id: prompt.map(str::to_owned),
            stop_hook_active: flag,
            ..Payload::default()
        };
        Chain::of(choose(Some(cli), &payload, &|_| None), &payload)
    }

    fn held(name: &str, count: u32) -> Option<Marker> {
        Some(Marker {
            chain: name.to_owned(),
            count,
            for_agents: 0,
        })
    }

    #[test]
    fn ids_go_before_the_flag() {
        let named = Chain::Named("s/p".to_owned());
        for flag in [None, Some(false), Some(true)] {
            assert_eq!(chain("claude", Some("p"), flag), named);
        }
        assert_eq!(chain("claude", None, Some(false)), Chain::Opens("s".into()));
        assert_eq!(
            chain("codex", Some("p"), Some(true)),
            Chain::GoesOn("s".into())
        );
        assert_eq!(chain("claude", None, None), Chain::Unknown);
    }

    #[test]
    fn a_chain_is_held_so_often_and_another_one_anew() {
        let this = Chain::Named("s/p".to_owned());
        let may = |held, chain: &Chain, person| {
            Marker::at(held, chain).may_hold_for_messages(chain, person)
        };
        assert!(may(None, &this, false));
        assert!(may(held("s/p", 3), &this, false), "a person's held before");
        let once = Marker {
            for_agents: 1,
            ..held("s/p", 1).unwrap()
        };
        assert!(!may(Some(once.clone()), &this, false));
        assert!(may(Some(once), &this, true));
        assert!(may(held("s/p", 3), &this, true));
        assert!(!may(held("s/p", 4), &this, true), "four times at most");
        assert!(may(held("s/o", 4), &this, true));
        assert!(!Marker::at(held("s/p", 1), &this).may_hold_for_git());
        assert!(Marker::at(held("s/o", 1), &this).may_hold_for_git());
    }

    #[test]
    fn without_ids_the_flag_opens_and_goes_on_and_without_it_a_run_is_held_once() {
        let opens = Chain::Opens("s".to_owned());
        assert_eq!(Marker::at(held("s", 4), &opens).count, 0);
        let goes_on = Chain::GoesOn("s".to_owned());
        assert_eq!(Marker::at(held("s", 4), &goes_on).count, 4);
        assert_eq!(Marker::at(held("other", 4), &goes_on).count, 0);
        let unknown = Marker::at(held("anything", 1), &Chain::Unknown);
        assert!(!unknown.may_hold_for_messages(&Chain::Unknown, true));
        assert!(!unknown.may_hold_for_git());
    }
}

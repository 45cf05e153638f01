//! What a run's deliveries still wait to be proven by, in memory, so that an event that can prove
//! nothing costs the store nothing. It may ask once too often, never too seldom.

use std::collections::HashMap;

use room_protocol::{Proof, ProofKind};

/// Remembered at most, for each run; beyond it is asked always.
const SESSIONS: usize = 16;
const MOMENTS: usize = 64;

/// The moments at which something was printed that no later moment has proven.
#[derive(Debug)]
pub struct Unproven {
    /// Of sessions that are not in `sessions` nothing is known.
    unknown: bool,
    sessions: HashMap<String, Vec<Proof>>,
}

impl Unproven {
    /// Of a run that was opened just now: nothing was printed.
    pub fn nothing() -> Self {
        Self {
            unknown: false,
            sessions: HashMap::new(),
        }
    }

    /// Of a run that was found in the store.
    pub fn unknown() -> Self {
        Self {
            unknown: true,
            sessions: HashMap::new(),
        }
    }

    /// Something was acknowledged. Without a moment, nothing can ever prove it. Without a session it
    /// goes with the run's next one, whose moments are then to be asked for.
    pub fn printed(&mut self, session: Option<&str>, printed: Option<&Proof>) {
        let Some(printed) = printed else { return };
        let Some(session) = session else {
            return self.forget();
        };
        let room = self.sessions.len() < SESSIONS;
        match self.sessions.get_mut(session) {
            Some(moments) if moments.contains(printed) => {}
            Some(moments) if moments.len() < MOMENTS => moments.push(printed.clone()),
            None if !self.unknown && room => {
                self.sessions
                    .insert(session.to_owned(), vec![printed.clone()]);
            }
            None if self.unknown => {}
            _ => self.forget(),
        }
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        *self = Self::unknown();
    }

    /// Whether a moment may prove something of its session.
    pub fn may_prove(&self, session: &str, proof: &Proof) -> bool {
        match self.sessions.get(session) {
            Some(moments) => moments.iter().any(|printed| proof.confirms(printed)),
            None => {
                self.unknown
                    && !matches!(
                        proof.kind,
                        ProofKind::Start | ProofKind::Prompt | ProofKind::Read
                    )
            }
        }
    }

    /// The store was told of this moment.
    pub fn proven(&mut self, session: &str, proof: &Proof) {
        let room = self.sessions.len() < SESSIONS;
        match self.sessions.get_mut(session) {
            Some(moments) => moments.retain(|printed| !proof.confirms(printed)),
            // A stop proves everything of its session but what was printed at that very stop.
            None if self.unknown && proof.kind == ProofKind::Stop && room => {
                self.sessions
                    .insert(session.to_owned(), vec![proof.clone()]);
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: ProofKind, mark: &str) -> Proof {
        Proof {
            kind,
            mark: mark.to_owned(),
        }
    }

    #[test]
    fn nothing_printed_asks_nothing() {
        let unproven = Unproven::nothing();
        assert!(!unproven.may_prove("s", &at(ProofKind::Stop, "a")));
    }

    #[test]
    fn what_was_printed_before_there_was_a_session_is_asked_for_in_every_one() {
        let mut unproven = Unproven::nothing();
        unproven.printed(None, Some(&at(ProofKind::Read, "r")));
        assert!(unproven.may_prove("s", &at(ProofKind::Batch, "t1")));
        assert!(unproven.may_prove("other", &at(ProofKind::Stop, "a")));
        unproven.proven("s", &at(ProofKind::Stop, "a"));
        assert!(!unproven.may_prove("s", &at(ProofKind::Stop, "a")));
    }

    #[test]
    fn asks_only_for_a_moment_that_proves_something_of_its_session_and_then_no_more() {
        let mut unproven = Unproven::nothing();
        unproven.printed(Some("s"), Some(&at(ProofKind::Batch, "t1")));
        assert!(!unproven.may_prove("s", &at(ProofKind::Batch, "t1")));
        assert!(!unproven.may_prove("other", &at(ProofKind::Batch, "t2")));
        assert!(unproven.may_prove("s", &at(ProofKind::Batch, "t2")));
        unproven.proven("s", &at(ProofKind::Batch, "t2"));
        assert!(!unproven.may_prove("s", &at(ProofKind::Batch, "t3")));
    }

    #[test]
    fn what_was_found_in_the_store_is_asked_for_until_a_stop() {
        let mut unproven = Unproven::unknown();
        assert!(!unproven.may_prove("s", &at(ProofKind::Prompt, "p")));
        assert!(unproven.may_prove("s", &at(ProofKind::Tool, "t1")));
        unproven.proven("s", &at(ProofKind::Tool, "t1"));
        assert!(unproven.may_prove("s", &at(ProofKind::Tool, "t2")));
        unproven.proven("s", &at(ProofKind::Stop, "a"));
        assert!(!unproven.may_prove("s", &at(ProofKind::Stop, "a")));
        assert!(unproven.may_prove("s", &at(ProofKind::Tool, "t3")));
        unproven.proven("s", &at(ProofKind::Tool, "t3"));
        assert!(!unproven.may_prove("s", &at(ProofKind::Stop, "b")));
        assert!(unproven.may_prove("old", &at(ProofKind::Stop, "b")));
    }

    #[test]
    fn too_much_to_remember_is_asked_for_always() {
        let mut unproven = Unproven::nothing();
        for n in 0..=MOMENTS {
            unproven.printed(Some("s"), Some(&at(ProofKind::Batch, &n.to_string())));
        }
        assert!(unproven.may_prove("any", &at(ProofKind::Stop, "x")));
    }
}

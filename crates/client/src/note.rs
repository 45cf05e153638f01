//! The note: what a hook is about to show, or has shown, of its lease.
//!
//! Written to `note.tmp` before printing and renamed to `note.json` after it, both under the run's
//! lock. So whatever kills a hook, the next one knows what was shown for certain: it acknowledges
//! that first. Only a kill between print and rename shows something twice.

use room_protocol::lane::{Acknowledge, Item};
use room_protocol::layout::run_files::{NOTE, NOTE_BEGUN};
use room_protocol::{How, MessageId, Proof, limits};
use serde::{Deserialize, Serialize};

use crate::dir::DirError;
use crate::rundir::RunDir;

/// What was shown, as it is to be acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Under which lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// By which way.
    pub how: How,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// At which moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Proof>,
    /// The room was explained in the same text.
    #[serde(default)]
    pub introduced: bool,
    /// Which messages, and how much of each.
    pub items: Vec<Item>,
}

impl Note {
    /// Before printing: writes what is about to be shown.
    pub fn begin(dir: &RunDir, note: &Self) -> Result<(), DirError> {
        let json = serde_json::to_vec(note).map_err(|source| DirError::Malformed {
            path: dir.path().join(NOTE_BEGUN),
            source,
        })?;
        dir.create(NOTE_BEGUN, &json)
    }

    /// After printing: it was shown.
    pub fn commit(dir: &RunDir) -> Result<(), DirError> {
        dir.rename(NOTE_BEGUN, NOTE)
    }

    /// Instead of [`Self::commit`]: it was not shown.
    pub fn abandon(dir: &RunDir) -> Result<(), DirError> {
        dir.remove(NOTE_BEGUN).map(drop)
    }

    /// The note of a hook that showed something and died before it was acknowledged. It stays until
    /// [`Self::clear`], since this hook may die too. A note that makes no sense is removed, logged
    /// and counts as none: what it named is shown again.
    pub fn take(dir: &RunDir) -> Option<Self> {
        let note = match dir.read_json::<Self>(NOTE) {
            Ok(None) => return None,
            Ok(Some(note)) if note.items.len() <= limits::ITEMS => return Some(note),
            Ok(Some(note)) => format!("it names {} messages", note.items.len()),
            Err(e) => e.to_string(),
        };
        dir.log(&format!("dropped the note of an earlier hook: {note}"));
        if let Err(e) = dir.remove(NOTE) {
            dir.log(&e.to_string());
        }
        None
    }

    /// After the acknowledgement: nothing is left to settle.
    pub fn clear(dir: &RunDir) -> Result<(), DirError> {
        dir.remove(NOTE).map(drop)
    }

    /// Writes the note anew without these ids (the daemon refused them), or clears it when none is
    /// left.
    pub fn without(
        mut self,
        dir: &RunDir,
        refused: &[MessageId],
    ) -> Result<Option<Self>, DirError> {
        self.items.retain(|item| !refused.contains(&item.id));
        if self.items.is_empty() {
            return Self::clear(dir).map(|()| None);
        }
        Self::begin(dir, &self)?;
        Self::commit(dir)?;
        Ok(Some(self))
    }

    /// The acknowledgement that it stands for.
    pub fn acknowledgement(&self) -> Acknowledge {
        Acknowledge {
            lease: self.lease.clone(),
            how: self.how,
            session: self.session.clone(),
            printed: self.printed.clone(),
            items: self.items.clone(),
            introduced: self.introduced,
        }
    }
}

//! A kind of file that carries entries of ours: what installing has to know about it.

use super::hooks_add::{AddError, add};
use super::hooks_file::find;
use super::hooks_strip::{Keep, strip};
use super::jsonc::{Position, Unreadable, parse};
use super::plan::Plan;
use super::record::Record;
use super::splice::take_back;

/// Why a document's text cannot be edited. The file is untouched.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Not JSON of the right shape.
    #[error("{0}")]
    Json(#[from] Unreadable),
    /// Not TOML, or not one that can be added to.
    #[error("{at}: {what}")]
    Toml {
        /// Where.
        at: Position,
        /// What is wrong.
        what: String,
    },
    /// The edit would have changed more than it should. A defect of ours, caught.
    #[error("the edit would not be clean ({0}); please report this")]
    Unclean(String),
}

impl From<AddError> for DocumentError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Unreadable(error) => DocumentError::Json(error),
            AddError::Render(error) => DocumentError::Unclean(error.to_string()),
        }
    }
}

/// What is known of an earlier installation.
pub type Known<'r> = Option<(&'r Record, Option<&'r str>)>;

/// A kind of file.
pub trait Document {
    /// Whether our entries are in it exactly as wanted, once each, and no others of ours.
    fn is_wired(&self, text: &str, known: Known<'_>) -> Result<bool, DocumentError>;

    /// The text without our entries.
    fn without(&self, text: &str, known: Known<'_>) -> Result<String, DocumentError>;

    /// The text (that has none) with our entries, and the pieces put in.
    fn with(&self, text: &str) -> Result<(String, Vec<String>), DocumentError>;

    /// Whether the text says nothing at all, so that a file which we created may go.
    fn says_nothing(&self, text: &str) -> bool;

    /// What to remember beyond the pieces.
    fn trust(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// A hook file with a plan for it.
pub struct HookFile<'p>(pub &'p Plan);

impl Document for HookFile<'_> {
    fn is_wired(&self, text: &str, _known: Known<'_>) -> Result<bool, DocumentError> {
        let parsed = parse(text)?;
        let found = find(parsed.text, parsed.root.as_ref())?;
        let wanted: Vec<_> = self.0.handlers().collect();
        Ok(found.len() == wanted.len()
            && wanted.iter().all(|(event, handler)| {
                found
                    .iter()
                    .filter(|found| found.is(event, handler))
                    .count()
                    == 1
            }))
    }

    fn without(&self, text: &str, known: Known<'_>) -> Result<String, DocumentError> {
        let parsed = parse(text)?;
        if find(parsed.text, parsed.root.as_ref())?.is_empty() {
            return Ok(text.to_owned());
        }
        if let Some(taken) = known.and_then(|(record, _)| take_back(text, &record.pieces))
            && none_of_ours(&taken)
        {
            return Ok(taken);
        }
        let keep = known
            .and_then(|(_, original)| original)
            .map_or_else(Keep::default, Keep::of);
        let stripped = strip(text, &keep)?;
        if none_of_ours(&stripped) {
            Ok(stripped)
        } else {
            Err(DocumentError::Unclean("entries would be left".to_owned()))
        }
    }

    fn with(&self, text: &str) -> Result<(String, Vec<String>), DocumentError> {
        let (with, insertions) = add(text, self.0)?;
        if !self.is_wired(&with, None)? {
            return Err(DocumentError::Unclean(
                "entries would be missing".to_owned(),
            ));
        }
        Ok((with, insertions.into_iter().map(|one| one.text).collect()))
    }

    fn says_nothing(&self, text: &str) -> bool {
        text.split_whitespace().collect::<String>() == "{}" || text.trim().is_empty()
    }
}

fn none_of_ours(text: &str) -> bool {
    parse(text).is_ok_and(|parsed| {
        find(parsed.text, parsed.root.as_ref()).is_ok_and(|found| found.is_empty())
    })
}

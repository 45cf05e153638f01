//! Installing into one file and undoing it: the part that all kinds of files share.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::document::{Document, DocumentError, Known};
use super::edit_error::EditError;
use super::edit_file::{Snapshot, remove_dirs};
use super::record::{Record, Records, sha256};

/// Why a file could not be wired or unwired. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// The file itself, or its backup.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// What is in it.
    #[error("{path}: {error}; nothing was changed, put it right and try again")]
    Document {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: DocumentError,
    },
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// There was none; now there is.
    Created,
    /// Our entries were put in (or moved to other programs).
    Changed,
    /// It already was as wanted.
    Unchanged,
    /// It is what it was before the installation, to the byte.
    Restored,
    /// It was edited since; our entries are gone and the rest is as it was.
    Cleaned,
    /// It was created by us, and is gone.
    Removed,
    /// There was nothing of ours in it.
    NotWired,
}

/// What was done to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The file as named.
    pub file: PathBuf,
    /// The file itself, where the name is a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_link: Option<PathBuf>,
    /// What became of it.
    pub outcome: Outcome,
    /// A copy of what it was before us.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
    /// The file had this many other names (hard links), which keep the old content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parted_from: Option<u64>,
    /// The text now; `None` where there is no file.
    #[serde(skip)]
    pub text: Option<String>,
}

fn change(snapshot: &Snapshot, outcome: Outcome, text: Option<&str>) -> FileChange {
    let rewritten = !matches!(
        outcome,
        Outcome::Unchanged | Outcome::NotWired | Outcome::Removed
    );
    FileChange {
        file: snapshot.path.clone(),
        behind_link: (snapshot.path != snapshot.real).then(|| snapshot.real.clone()),
        outcome,
        backup: None,
        parted_from: snapshot
            .content
            .as_ref()
            .filter(|content| rewritten && content.links > 1)
            .map(|content| content.links - 1),
        text: text.map(str::to_owned),
    }
}

fn in_file(path: &Path) -> impl Fn(DocumentError) -> WiringError {
    let path = path.to_owned();
    move |error| WiringError::Document {
        path: path.clone(),
        error,
    }
}

/// The text before us: to the byte where nobody edited since, else by taking ours out.
fn before_us(
    snapshot: &Snapshot,
    known: Known<'_>,
    document: &dyn Document,
) -> Result<Option<String>, DocumentError> {
    let Some(content) = &snapshot.content else {
        return Ok(None);
    };
    match known {
        Some((record, original)) if sha256(content.text.as_bytes()) == record.installed => {
            Ok(original.map(str::to_owned))
        }
        known => document.without(&content.text, known).map(Some),
    }
}

/// Puts a document's entries into a file. Doing it twice changes nothing the second
/// time; doing it with other programs moves the entries.
///
/// # Errors
/// With the file unchanged.
pub fn install(
    path: &Path,
    document: &dyn Document,
    records: &Records,
) -> Result<FileChange, WiringError> {
    let snapshot = Snapshot::read(path)?;
    let wrong = in_file(path);
    let loaded = records.load(&snapshot.real);
    let known = loaded
        .as_ref()
        .map(|(record, original)| (record, original.as_deref()));
    if let Some(content) = &snapshot.content
        && document.is_wired(&content.text, known).map_err(&wrong)?
    {
        return Ok(change(&snapshot, Outcome::Unchanged, Some(&content.text)));
    }
    let base = before_us(&snapshot, known, document).map_err(&wrong)?;
    let (text, pieces) = document
        .with(base.as_deref().unwrap_or_default())
        .map_err(&wrong)?;

    let earlier = known.map(|(record, _)| record);
    let mut record = Record {
        file: snapshot.real.clone(),
        created: snapshot.content.is_none() || earlier.is_some_and(|record| record.created),
        created_dirs: earlier.map_or_else(Vec::new, |record| record.created_dirs.clone()),
        original: base.as_deref().map(|text| sha256(text.as_bytes())),
        installed: sha256(text.as_bytes()),
        pieces,
        trust: document.trust(),
    };
    // The backup first: a kill in between leaves one too many, not one too few.
    let backup = records.save(&record, base.as_deref())?;
    match snapshot.write(&text) {
        Ok(made) if made.is_empty() => {}
        Ok(made) => {
            record.created_dirs.extend(made);
            records.save(&record, base.as_deref())?;
        }
        Err(error) => {
            // Best effort: the error that matters is the one that stopped us.
            let _ = match known {
                Some((record, original)) => records.save(record, original).map(drop),
                None => records.forget(&snapshot.real),
            };
            return Err(error.into());
        }
    }
    let outcome = if snapshot.content.is_none() {
        Outcome::Created
    } else {
        Outcome::Changed
    };
    Ok(FileChange {
        backup,
        ..change(&snapshot, outcome, Some(&text))
    })
}

/// Takes our entries out of a file again.
///
/// # Errors
/// With the file unchanged.
pub fn uninstall(
    path: &Path,
    document: &dyn Document,
    records: &Records,
) -> Result<FileChange, WiringError> {
    let snapshot = Snapshot::read(path)?;
    let loaded = records.load(&snapshot.real);
    let known = loaded
        .as_ref()
        .map(|(record, original)| (record, original.as_deref()));
    let done = take_out(&snapshot, known, document)?;
    if let Some((record, _)) = known {
        records.forget(&snapshot.real)?;
        if done.outcome == Outcome::Removed {
            remove_dirs(&record.created_dirs);
        }
    }
    Ok(done)
}

fn take_out(
    snapshot: &Snapshot,
    known: Known<'_>,
    document: &dyn Document,
) -> Result<FileChange, WiringError> {
    let Some(content) = &snapshot.content else {
        return Ok(change(snapshot, Outcome::NotWired, None));
    };
    let wrong = in_file(&snapshot.path);
    let base = before_us(snapshot, known, document).map_err(wrong)?;
    let created = known.is_some_and(|(record, _)| record.created);
    let exact =
        known.is_some_and(|(record, _)| sha256(content.text.as_bytes()) == record.installed);
    match base {
        Some(text) if text == content.text => Ok(change(snapshot, Outcome::NotWired, Some(&text))),
        Some(text) if !(created && document.says_nothing(&text)) => {
            snapshot.write(&text)?;
            let outcome = if exact {
                Outcome::Restored
            } else {
                Outcome::Cleaned
            };
            Ok(change(snapshot, outcome, Some(&text)))
        }
        _ => {
            snapshot.remove()?;
            Ok(change(snapshot, Outcome::Removed, None))
        }
    }
}

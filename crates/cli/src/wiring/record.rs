//! What an installation changed, kept so that it can be undone to the byte.
//!
//! Not beside the file: a `.bak` in a project's directory ends up in its repository.
//! `<dir>/<sha256 of the file's path>/` (0700) holds `original`, the file's bytes
//! without our entries as a plain copy (absent where there was no file), and
//! `record.json`. Written before the file is.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::edit_error::{EditError, io_error};

/// The undo records of one `$ROOM_HOME`, in its `wiring/` directory.
#[derive(Debug, Clone)]
pub struct Records {
    dir: PathBuf,
}

/// One file's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file, links resolved.
    pub file: PathBuf,
    /// There was no file before us.
    pub created: bool,
    /// Directories that we created for it, outermost first.
    pub created_dirs: Vec<PathBuf>,
    /// SHA-256 of the original, if there is one.
    pub original: Option<String>,
    /// SHA-256 of the file as we left it.
    pub installed: String,
    /// The pieces that we put in.
    pub pieces: Vec<String>,
    /// Codex trust that we wrote: key and hash.
    #[serde(default)]
    pub trust: Vec<(String, String)>,
}

/// The lower-case hexadecimal SHA-256.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Records {
    /// Records in a directory, which is created when needed.
    pub fn in_dir(dir: impl Into<PathBuf>) -> Records {
        Records { dir: dir.into() }
    }

    /// Where the record of a file is kept.
    pub fn place(&self, file: &Path) -> PathBuf {
        self.dir
            .join(&sha256(file.as_os_str().as_encoded_bytes())[..16])
    }

    /// The record of a file and its original text. A record that is damaged counts as
    /// none: our entries are then found by their looks.
    pub fn load(&self, file: &Path) -> Option<(Record, Option<String>)> {
        let place = self.place(file);
        let record: Record =
            serde_json::from_slice(&fs::read(place.join("record.json")).ok()?).ok()?;
        let original = match &record.original {
            None => None,
            Some(hash) => {
                let text = fs::read_to_string(place.join("original")).ok()?;
                (sha256(text.as_bytes()) == *hash).then_some(())?;
                Some(text)
            }
        };
        (record.file == file).then_some((record, original))
    }

    /// Keeps a record. Returns where the original is, if there is one.
    ///
    /// # Errors
    /// When it cannot be written; an earlier one stays.
    pub fn save(
        &self,
        record: &Record,
        original: Option<&str>,
    ) -> Result<Option<PathBuf>, EditError> {
        let place = self.place(&record.file);
        if let Err(error) = self.try_save(&place, record, original) {
            if !place.join("record.json").exists() {
                // Half a record counts as none; it is only litter.
                let _ = self.forget(&record.file);
            }
            return Err(io_error("keep the backup in", &place)(error));
        }
        Ok(original.map(|_| place.join("original")))
    }

    fn try_save(&self, place: &Path, record: &Record, original: Option<&str>) -> io::Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(place)?;
        match original {
            Some(text) => write(place, "original", text.as_bytes())?,
            None => remove_if_there(&place.join("original"))?,
        }
        write(place, "record.json", &serde_json::to_vec_pretty(record)?)
    }

    /// Forgets a file's record.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget(&self, file: &Path) -> Result<(), EditError> {
        let place = self.place(file);
        match fs::remove_dir_all(&place) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(io_error("remove the backup in", &place)(error))
            }
            _ => {
                // The last one out; stays where other records are.
                let _ = fs::remove_dir(&self.dir);
                Ok(())
            }
        }
    }
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(dir.join(name)).map_err(|error| error.error)?;
    fs::File::open(dir)?.sync_all()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

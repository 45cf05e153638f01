//! The opening text of a run that has a task: composed, and kept in a file that becomes the CLI's
//! standard input. A file, so that nobody waits for a CLI that reads late or not at all.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use room_protocol::limits;

use crate::compose;
use crate::failure::{Context, Failure};

/// A task, and where it is from.
///
/// # Errors
/// When it cannot be read, is no text, or is too long for an opening.
pub fn read(path: &Path) -> Result<String, Failure> {
    let what = || format!("the task {}", path.display());
    // Four bytes a character at most, and one to see that it is longer.
    let bound = 4 * limits::OPENING_CHARS as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(bound).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(bound).read_to_end(&mut bytes))
    };
    read.or_refuse(what)?;
    if bytes.len() as u64 == bound {
        return Err(Failure::Refused(format!(
            "{} is longer than {} characters, which is all that an opening has",
            what(),
            limits::OPENING_CHARS
        )));
    }
    let text = String::from_utf8(bytes).or_refuse(what)?;
    if text.trim().is_empty() {
        return Err(Failure::Refused(format!("{} is empty", what())));
    }
    compose::space_beside(&text)?;
    Ok(text)
}

/// A file that holds `text`, to be read from its beginning, and that has no name.
///
/// # Errors
/// When it cannot be written.
pub fn as_file(text: &str, dir: &Path) -> Result<File, Failure> {
    let what = || format!("cannot write the opening into {}", dir.display());
    let mut file = tempfile::tempfile_in(dir).or_refuse(what)?;
    file.write_all(text.as_bytes()).or_refuse(what)?;
    file.rewind().or_refuse(what)?;
    Ok(file)
}

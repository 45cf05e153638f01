//! The outbox: posts of an agent that cannot reach the daemon itself (a sandbox that forbids
//! connecting to sockets), handed over by the next hook of its run.
//!
//! A file a post. Names sort in the order of posting and serve as idempotency keys where the post has
//! none, so that a hook which dies between handing over and removing changes nothing.

use std::io::ErrorKind;
use std::time::{SystemTime, UNIX_EPOCH};

use room_protocol::layout::run_files::OUTBOX;
use room_protocol::message::Post;
use room_protocol::{ProblemKind, limits};
use serde::de::IgnoredAny;

use crate::dir::{Dir, DirError};
use crate::rundir::RunDir;
use crate::{Client, Error};

/// Posts that the daemon refused for good, kept for whoever looks.
const REFUSED: &str = "refused";

/// Queues a post, on disk when this returns. Its name.
///
/// Refused when the body is empty or over its bound, or when [`limits::OUTBOX_FILES`] wait already.
pub fn put(run: &RunDir, post: &Post) -> Result<String, DirError> {
    let dir = run.dir().sub_or_make(OUTBOX)?;
    let refuse = |what| DirError::Refused {
        path: dir.path().to_owned(),
        what,
    };
    if post.body.is_empty() || post.body.len() > limits::BODY_BYTES {
        return Err(refuse("a message has 1 to 65,536 bytes"));
    }
    let waiting = names(&dir)?;
    if waiting.len() >= limits::OUTBOX_FILES {
        return Err(refuse(
            "it is full; its posts go out with the run's next hook",
        ));
    }
    let name = name_after(waiting.last().map(String::as_str));
    let json = serde_json::to_vec(post).map_err(|source| DirError::Malformed {
        path: dir.path().join(&name),
        source,
    })?;
    dir.write_synced(&name, &json)?;
    Ok(name)
}

/// Nanoseconds since 1970, then what keeps two processes apart. Behind `last`, even when the clock
/// was set back.
fn name_after(last: Option<&str>) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos());
    let last = last
        .and_then(|name| name.get(..20)?.parse::<u128>().ok())
        .filter(|last| *last < u128::from(u64::MAX));
    let at = last.map_or(now, |last| now.max(last + 1));
    format!("{at:020}-{:010}.json", std::process::id())
}

fn names(dir: &Dir) -> Result<Vec<String>, DirError> {
    let mut names = dir.names(2 * limits::OUTBOX_FILES)?;
    names.retain(|name| name != REFUSED && name.len() <= limits::KEY_BYTES);
    Ok(names)
}

/// What waits, in order.
pub fn list(run: &RunDir) -> Result<Vec<String>, DirError> {
    match run.dir().sub(OUTBOX)? {
        Some(dir) => names(&dir),
        None => Ok(Vec::new()),
    }
}

/// One waiting post, its name as the idempotency key where it has none; `None` when another process was faster.
pub fn get(run: &RunDir, name: &str) -> Result<Option<Post>, DirError> {
    let Some(dir) = run.dir().sub(OUTBOX)? else {
        return Ok(None);
    };
    // Any body within its bound fits, escaped as JSON.
    let Some(bytes) = dir.read(name, limits::REQUEST_BYTES as u64)? else {
        return Ok(None);
    };
    let mut post: Post = serde_json::from_slice(&bytes).map_err(|source| DirError::Malformed {
        path: dir.path().join(name),
        source,
    })?;
    // The poster's own key stays: the same words may have reached the daemon before it was gone.
    post.key.get_or_insert_with(|| name.to_owned());
    Ok(Some(post))
}

/// Removes a post that was handed over.
pub fn remove(run: &RunDir, name: &str) -> Result<(), DirError> {
    match run.dir().sub(OUTBOX)? {
        Some(dir) => dir.remove(name).map(drop),
        None => Ok(()),
    }
}

/// Moves a post that can never be handed over to `outbox/refused/`, and says why in the log. When
/// that is full it is removed: somebody hostile could fill the disk otherwise.
pub fn refuse(run: &RunDir, name: &str, why: &str) -> Result<(), DirError> {
    let Some(dir) = run.dir().sub(OUTBOX)? else {
        return Ok(());
    };
    run.log(&format!("outbox/{name} was refused: {why}"));
    match set_aside(&dir, name) {
        Err(e) if e.is_missing() => Ok(()),
        // It must not keep back what stands behind it, wherever it cannot be kept itself.
        Err(e) => {
            run.log(&format!("outbox/{name} is removed: {e}"));
            dir.remove(name).map(drop)
        }
        Ok(()) => Ok(()),
    }
}

fn set_aside(dir: &Dir, name: &str) -> Result<(), DirError> {
    let refused = dir.sub_or_make(REFUSED)?;
    if refused.names(limits::OUTBOX_FILES)?.len() >= limits::OUTBOX_FILES {
        return dir.remove(name).map(drop);
    }
    dir.move_to(name, &refused, name)
}

/// What became of the outbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Handed over.
    pub posted: usize,
    /// Refused for good.
    pub refused: usize,
}

/// Hands over what waits, in order, each once, with the run's own client. Stops at the first post
/// that may go through later, so that the order is kept; its error comes back beside what was done
/// before.
pub fn deliver(run: &RunDir, client: &Client) -> (Delivered, Option<Failure>) {
    deliver_while(run, client, || true)
}

/// The same as long as `go_on` says so before a post; what is left waits for the next time.
pub fn deliver_while(
    run: &RunDir,
    client: &Client,
    go_on: impl Fn() -> bool,
) -> (Delivered, Option<Failure>) {
    let mut done = Delivered::default();
    let failure = match list(run) {
        Ok(names) => names
            .iter()
            .take_while(|_| go_on())
            .find_map(|name| hand_over(run, client, name, &mut done).err()),
        Err(e) => Some(e.into()),
    };
    (done, failure)
}

/// Why the outbox is not empty yet.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The daemon.
    #[error(transparent)]
    Daemon(#[from] Error),
    /// The directory.
    #[error(transparent)]
    Dir(#[from] DirError),
}

fn hand_over(
    run: &RunDir,
    client: &Client,
    name: &str,
    done: &mut Delivered,
) -> Result<(), Failure> {
    let why = match get(run, name) {
        Ok(None) => return Ok(()),
        Ok(Some(post)) => match client.post::<IgnoredAny>("/v1/run/messages", &post) {
            Ok(_) => {
                remove(run, name)?;
                done.posted += 1;
                return Ok(());
            }
            Err(Error::Problem(problem)) if is_final(problem.kind) => problem.to_string(),
            Err(e) => return Err(e.into()),
        },
        Err(e @ (DirError::Malformed { .. } | DirError::Refused { .. })) => e.to_string(),
        // Not ours to read, now or later.
        Err(DirError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {
            source.to_string()
        }
        Err(e) => return Err(e.into()),
    };
    refuse(run, name, &why)?;
    done.refused += 1;
    Ok(())
}

/// Whether this very post can never be accepted. A credential that is not (or no longer) valid says
/// nothing about the post, and neither does a daemon that cannot take anything now.
fn is_final(kind: ProblemKind) -> bool {
    use ProblemKind as Kind;
    match kind {
        Kind::Conflict
        | Kind::Forbidden
        | Kind::InvalidRequest
        | Kind::MethodNotAllowed
        | Kind::NotFound
        | Kind::RunEnded
        | Kind::Taken
        | Kind::TooLarge
        | Kind::UnsupportedMediaType => true,
        Kind::Internal
        | Kind::LeaseHeld
        | Kind::StorageFull
        | Kind::Timeout
        | Kind::TooMany
        | Kind::Unauthorized
        | Kind::Unavailable => false,
    }
}

/// Whether something waits; cheap enough for every hook.
pub fn is_empty(run: &RunDir) -> bool {
    list(run).map_or(true, |names| names.is_empty())
}

//! The stop gate's second concern: work that is uncommitted or unpushed.
//!
//! The repository may be a hostile agent's work, which goes on changing while it is asked about. So
//! it is not judged first and trusted then: the git that looks at it reads no configuration but the
//! user's own and one that is written here, see [`shadow`]. Attributes may still name a filter, but
//! only one that the user configured means a program. Besides, git gets no file system monitor, no
//! hooks, no optional locks (and so no index write) and no transport. Where the repository's own
//! configuration says what cannot be taken over and would change the answer, git is not asked.

mod config;
mod find;
mod leash;
mod program;
mod run;
mod shadow;
mod status;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use room_protocol::limits::GIT_DEADLINE;
use room_protocol::runfile::GitPolicy;

use crate::alarm;
use config::Own;
use find::Place;
use leash::Leash;
use run::Git;
use shadow::Shadow;

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing is left to commit or push.
    Clean,
    /// What is left, as the agent is told.
    Left(String),
    /// It was not asked, for this reason.
    NotAsked(String),
}

/// A question under way, beside whatever else the gate does. Where it ends, answered or not, git
/// ends too.
pub(crate) struct Question {
    leash: Arc<Leash>,
    until: Instant,
}

impl Question {
    /// Asks about the repository around `cwd`, by default the hook's own. `None` when nothing is to
    /// be asked.
    pub(crate) fn ask(policy: GitPolicy, cwd: Option<&str>) -> Option<Self> {
        if policy == GitPolicy::Off {
            return None;
        }
        let until = Instant::now() + GIT_DEADLINE;
        let cwd = cwd.map(PathBuf::from).filter(|cwd| cwd.is_absolute());
        let leash = Arc::new(Leash::default());
        let held = Arc::clone(&leash);
        let work = move || {
            let answer = ask(policy, cwd.as_deref(), &held, until);
            held.answer(answer);
        };
        // The thread inherits that the alarm is held back, so that it strikes where it is minded.
        let thread = alarm::held_back(|| std::thread::Builder::new().spawn(work));
        thread.ok().map(|_| Self { leash, until })
    }

    /// The answer, waited for until the question's own deadline.
    pub(crate) fn answer(self) -> Answer {
        let answer = self.leash.wait(self.until);
        answer.unwrap_or_else(|| Answer::NotAsked("it took too long".to_owned()))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.leash.cut();
    }
}

fn ask(policy: GitPolicy, cwd: Option<&Path>, leash: &Leash, until: Instant) -> Answer {
    match left(policy, cwd, leash, until) {
        Ok(None) => Answer::Clean,
        Ok(Some(left)) => Answer::Left(format!(
            "[The repository when this run was about to finish: {left}. The operator of this run \
             set up the hook that tells this once.]"
        )),
        Err(why) => Answer::NotAsked(why),
    }
}

/// What is left to do, in words; an error says why it is not known.
fn left(
    policy: GitPolicy,
    cwd: Option<&Path>,
    leash: &Leash,
    until: Instant,
) -> Result<Option<String>, String> {
    let place = Place::around(cwd)?;
    let program = program::find(std::env::var_os("PATH").as_deref(), &place.top)?;
    let mut git = Git::new(&program, leash, until);
    if place.foreign {
        // Whether the user trusts it: git's own rules, which come before it reads anything there.
        let at = place.top.to_str().ok_or("its path is not UTF-8")?;
        git.run(&["-C", at, "rev-parse", "--git-dir"], Stdio::null())
            .map_err(|why| format!("it belongs to another user, and {why}"))?;
    }
    let shadow = Shadow::make(&place)?;
    git.env = Some(shadow.env(&place));
    shadow.configure(&own(&git, &place)?.text)?;
    let listed = git.run(
        &[
            "status",
            "--porcelain=v2",
            "--branch",
            "--ahead-behind",
            "-z",
            "--untracked-files=normal",
            // No git is started in a submodule. Its HEAD is read, and its configuration for how its
            // references are kept; ignoring it altogether would read the same, and miss its moves.
            "--ignore-submodules=dirty",
        ],
        Stdio::null(),
    )?;
    let status = status::Status::parse(&listed.text(), listed.complete);
    let unpushed = if policy == GitPolicy::Pushed && status.has_commits {
        status.unpushed(|| {
            let args = ["rev-list", "--count", "HEAD", "--not", "--remotes"];
            let counted = git.run(&args, Stdio::null())?;
            let count = counted.text().trim().parse();
            count.map_err(|_| "no count".to_owned())
        })?
    } else {
        None
    };
    Ok(match (status.uncommitted(), unpushed) {
        (Some(uncommitted), Some(unpushed)) => Some(format!("{uncommitted}; {unpushed}")),
        (uncommitted, unpushed) => uncommitted.or(unpushed),
    })
}

/// What is taken over of the repository's own configuration.
fn own(git: &Git, place: &Place) -> Result<Own, String> {
    let mut own = Own::default();
    let listed = |file: File| -> Result<Vec<u8>, String> {
        // From a descriptor, so that git need not open what may be swapped for something else.
        let listed = git.run(&["config", "--file", "-", "--list", "-z"], file.into())?;
        if !listed.complete {
            return Err("its configuration is too long".to_owned());
        }
        Ok(listed.bytes)
    };
    if let Some(file) = find::regular(&place.common.join("config"))? {
        own.take(&listed(file)?, place)?;
    }
    if own.per_worktree
        && let Some(file) = find::regular(&place.dir.join("config.worktree"))?
    {
        own.take(&listed(file)?, place)?;
    }
    Ok(own)
}

#[cfg(test)]
mod tests;

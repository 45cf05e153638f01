//! The stop gate's second concern: work that is uncommitted or unpushed.
//!
//! The repository may be a hostile agent's work. Git is asked so that it runs nothing which the
//! repository names: no file system monitor, no hooks, no optional locks (and so no index write), no
//! transport. What cannot be switched off from outside (filters, includes) is looked for in the
//! repository's own configuration first; where there is any of it, git is not asked.

mod config;
mod run;
mod status;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use room_protocol::limits::GIT_DEADLINE;
use room_protocol::runfile::GitPolicy;

use crate::alarm;
use run::Git;

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing is left to commit or push, or there is no repository.
    Clean,
    /// What is left, as the agent is told.
    Left(String),
    /// It was not asked, for this reason.
    NotAsked(String),
}

/// A question under way, beside whatever else the gate does.
pub(crate) struct Question {
    slot: Arc<Slot>,
    until: Instant,
}

/// Where the answer is put. A channel would make the hook a hundredth larger.
#[derive(Default)]
struct Slot {
    answer: Mutex<Option<Answer>>,
    came: Condvar,
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
        let slot = Arc::new(Slot::default());
        let put = Arc::clone(&slot);
        let work = move || {
            let answer = ask(policy, cwd.as_deref(), until);
            *put.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            put.came.notify_one();
        };
        // The thread inherits that the alarm is held back, so that it strikes where it is minded.
        let thread = alarm::held_back(|| std::thread::Builder::new().spawn(work));
        thread.ok().map(|_| Self { slot, until })
    }

    /// The answer, waited for until the question's own deadline.
    pub(crate) fn answer(self) -> Answer {
        let slot = &self.slot;
        let mut answer = slot.answer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = answer.take() {
                return answer;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Answer::NotAsked("it took too long".to_owned());
            }
            let woken = slot.came.wait_timeout(answer, left);
            answer = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn ask(policy: GitPolicy, cwd: Option<&Path>, until: Instant) -> Answer {
    let git = Git { cwd, until };
    let listed = match git.run(&["config", "--list", "-z", "--show-scope", "--includes"]) {
        Ok(listed) if listed.complete => listed.text,
        Ok(_) => return Answer::NotAsked("its configuration is too long".to_owned()),
        Err(why) => return Answer::NotAsked(why),
    };
    if let Some(key) = config::names_a_program(&listed) {
        return Answer::NotAsked(format!("the repository's own configuration has {key}"));
    }
    let status = match git.run(&[
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=dirty",
    ]) {
        Ok(listed) => status::Status::parse(&listed.text, listed.complete),
        Err(why) => return Answer::NotAsked(why),
    };
    let unpushed = if policy == GitPolicy::Pushed && status.has_commits {
        match status.unpushed(|| {
            let counted = git.run(&["rev-list", "--count", "HEAD", "--not", "--remotes"])?;
            counted
                .text
                .trim()
                .parse()
                .map_err(|_| "no count".to_owned())
        }) {
            Ok(unpushed) => unpushed,
            Err(why) => return Answer::NotAsked(why),
        }
    } else {
        None
    };
    let left: Vec<String> = status.uncommitted().into_iter().chain(unpushed).collect();
    if left.is_empty() {
        return Answer::Clean;
    }
    Answer::Left(format!(
        "[The repository when this run was about to finish: {}. The operator of this run set up \
         the hook that tells this once.]",
        left.join("; ")
    ))
}

#[cfg(test)]
mod tests;

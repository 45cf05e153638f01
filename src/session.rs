//! One session takes a run's mail: which one, and when another may follow it.
//!
//! `RUN_ID` is inherited by whatever an agent starts, a nested agent CLI too. That one would eat the
//! mail of its parent.

use room_client::RunDir;
use room_protocol::layout::run_files;
use room_protocol::runfile::{ProcessFile, RunFile};
use serde::{Deserialize, Serialize};

use crate::dialect::{Dialect, Moment, Start, Var};
use crate::payload::Payload;
use crate::process::Process;

/// Variables that an agent CLI sets for what its tools start, and for its background sessions, but
/// not for the hooks of its own session. A launcher unsets them.
const NESTED: [&str; 5] = [
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_JOB_DIR",
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "CODEX_TOOL_CALL_ID",
];

/// The contents of `session.json`: who takes the mail.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// The CLI's name for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The CLI's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Process>,
    /// The session ended.
    #[serde(default)]
    pub(crate) ended: bool,
}

/// How this hook's CLI process stands to the one that a launcher started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launched {
    /// No launcher, or it is not known what process this is.
    Unknown,
    /// It is the launcher's child.
    Itself,
    /// It runs below the launcher's child: a wrapper script's program, or something nested.
    Below,
    /// It is another one.
    Elsewhere,
}

/// What is seen of the session that this hook runs in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    session: Option<String>,
    process: Option<Process>,
    /// The CLI itself named its process; else it was looked for above the hook, and a shell that
    /// is not known as one may have been taken for it.
    told: bool,
    launched: Launched,
    /// It goes on from another one: resumed, cleared, compacted, forked.
    follows: bool,
}

/// Whether this hook's session takes the mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It does, and this is to be written down where it differs from what is.
    Ours(Bound),
    /// It does not, for this reason.
    Foreign(&'static str),
}

/// Looks at what tells the session of this hook; changes nothing. An error says why it is none that
/// could ever take the mail.
pub(crate) fn see(
    dir: &RunDir,
    run: &RunFile,
    dialect: &dyn Dialect,
    payload: &Payload,
    var: Var<'_>,
) -> Result<Seen, &'static str> {
    if NESTED.iter().any(|name| var(name).is_some()) {
        return Err("it runs inside of another agent's tool call or background job");
    }
    let told = dialect.process(var);
    let process = match told {
        Some(pid) => Process::of(pid),
        None => Process::above(),
    };
    Ok(Seen {
        session: payload.session.clone(),
        process,
        told: told.is_some(),
        launched: launched(dir, run, process),
        follows: matches!(
            dialect.moment(payload),
            Moment::Start(Start::Resumed | Start::Emptied)
        ),
    })
}

impl Seen {
    /// Whether the session takes the mail, as things stand.
    pub(crate) fn verdict(&self, bound: Option<&Bound>) -> Verdict {
        decide(bound, self, Process::lives)
    }

    /// The same under the run's lock: nobody else binds meanwhile, and what is new is written down.
    pub(crate) fn takes(&self, dir: &RunDir) -> bool {
        let before = bound(dir);
        match self.verdict(before.as_ref()) {
            Verdict::Ours(now) if before.as_ref() == Some(&now) => true,
            Verdict::Ours(now) => {
                bind(dir, &now);
                true
            }
            Verdict::Foreign(_) => false,
        }
    }

    /// The session's end, noted under the run's lock: another one may take the mail. An end that is
    /// told late, when the process has gone on to another session, ends nothing. Whether it did.
    pub(crate) fn ends(&self, dir: &RunDir) -> bool {
        let before = bound(dir);
        let Verdict::Ours(now) = self.verdict(before.as_ref()) else {
            return false;
        };
        if before.is_some_and(|before| before.session != now.session) {
            return false;
        }
        bind(dir, &Bound { ended: true, ..now });
        true
    }
}

/// What is written down. A file that makes no sense counts as none.
pub(crate) fn bound(dir: &RunDir) -> Option<Bound> {
    match dir.read_json(run_files::SESSION) {
        Ok(bound) => bound,
        Err(e) => {
            dir.log(&format!("the bound session is unknown: {e}"));
            None
        }
    }
}

fn bind(dir: &RunDir, bound: &Bound) {
    let written = serde_json::to_vec(bound)
        .map_err(|e| e.to_string())
        .and_then(|json| {
            dir.write(run_files::SESSION, &json)
                .map_err(|e| e.to_string())
        });
    if let Err(e) = written {
        dir.log(&format!("the session cannot be bound: {e}"));
    }
}

fn launched(dir: &RunDir, run: &RunFile, process: Option<Process>) -> Launched {
    let (true, Some(process)) = (run.launched, process) else {
        return Launched::Unknown;
    };
    let child = match dir.read_json::<ProcessFile>(run_files::PROCESS) {
        Ok(Some(file)) => file.pid,
        // The launcher has not come to it yet.
        Ok(None) => return Launched::Unknown,
        Err(e) => {
            dir.log(&format!("the launcher's process is unknown: {e}"));
            return Launched::Unknown;
        }
    };
    if process.pid == child {
        return Launched::Itself;
    }
    match process.is_below(child) {
        Some(true) => Launched::Below,
        Some(false) => Launched::Elsewhere,
        None => Launched::Unknown,
    }
}

fn decide(bound: Option<&Bound>, seen: &Seen, lives: impl Fn(Process) -> bool) -> Verdict {
    let ours = Verdict::Ours(Bound {
        session: seen.session.clone().or_else(|| bound?.session.clone()),
        process: seen.process.or_else(|| bound?.process),
        ended: false,
    });
    match seen.launched {
        // The process is the session, whatever conversation it holds.
        Launched::Itself => return ours,
        Launched::Elsewhere => return Verdict::Foreign("its process is not the launched one"),
        Launched::Unknown | Launched::Below => {}
    }
    let Some(bound) = bound else {
        return ours;
    };
    let same_process = match (bound.process, seen.process) {
        (Some(bound), Some(seen)) => bound == seen,
        // Where nothing tells, the session's name has to do.
        _ => true,
    };
    let same_session = match (&bound.session, &seen.session) {
        (Some(bound), Some(seen)) => Some(bound == seen),
        _ => None,
    };
    let guessed_wrong = !seen.told && same_session == Some(true);
    if !same_process && !guessed_wrong && !bound.ended && bound.process.is_some_and(lives) {
        return Verdict::Foreign("another process takes this run's mail and lives");
    }
    if !same_process || bound.ended {
        return ours;
    }
    if same_session != Some(false) || seen.follows || seen.launched == Launched::Below {
        return ours;
    }
    Verdict::Foreign("another session takes this run's mail")
}

#[cfg(test)]
mod tests;

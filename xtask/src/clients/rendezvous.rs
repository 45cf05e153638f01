//! A shell command that waits in the middle of a tool call until the case is done
//! with what is to happen during it.

use std::fs;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::process::wait_for;

/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(20);

/// One meeting of a tool call with the case.
pub struct Rendezvous {
    reached: PathBuf,
    released: PathBuf,
}

/// The case's half, at work on a thread of its own.
pub struct Meeting(JoinHandle<Result<()>>);

impl Rendezvous {
    /// `dir` has to exist and to be written by nobody else under this `name`.
    pub fn new(dir: &std::path::Path, name: &str) -> Self {
        Self {
            reached: dir.join(format!("{name}.reached")),
            released: dir.join(format!("{name}.released")),
        }
    }

    /// The command for the agent's shell tool: says that it runs, waits for the
    /// release (bounded), then prints `output`.
    pub fn command(&self, output: &str) -> String {
        format!(
            "touch '{}'; i=0; while [ ! -e '{}' ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done; echo {output}",
            self.reached.display(),
            self.released.display()
        )
    }

    /// Does `action` while the command runs, then lets it end.
    pub fn during(self, action: impl FnOnce() -> Result<()> + Send + 'static) -> Meeting {
        Meeting(thread::spawn(move || {
            wait_for("the tool call to run", PATIENCE, || {
                Ok(self.reached.exists().then_some(()))
            })?;
            let result = action();
            fs::write(&self.released, "")?;
            result
        }))
    }
}

impl Meeting {
    /// Waits for the action and gives its result.
    pub fn finish(self) -> Result<()> {
        let panicked = |_| Err(anyhow!("the action during a tool call panicked"));
        self.0.join().unwrap_or_else(panicked)
    }
}

//! Runs the chosen cases, two at a time, each bounded, and reports.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::cases::Case;
use super::packages::Cli;
use super::print;
use super::stage::{Kit, Stage};

/// How many cases run at once. Each has a CLI, a daemon and its hooks.
const AT_ONCE: usize = 2;

/// How long one case may take. Everything in it has shorter bounds of its own.
const CASE_LIMIT: Duration = Duration::from_secs(240);

/// A case on one CLI.
#[derive(Clone, Copy)]
pub struct Job {
    pub case: &'static Case,
    pub cli: Cli,
}

impl Job {
    /// `claude/during-tool`, as the reports and `--case` name it.
    pub fn name(self) -> String {
        format!("{}/{}", self.cli.name(), self.case.name)
    }
}

/// How many went well and how many did not.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
}

/// Runs all jobs and prints one line for each.
pub fn run_all(kit: &Kit, jobs: Vec<Job>) -> Tally {
    let queue = Mutex::new(jobs.into_iter());
    let tally = Mutex::new(Tally::default());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(job) = next() {
                    let passed = run_one(kit, job);
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    if passed {
                        tally.passed += 1;
                    } else {
                        tally.failed += 1;
                    }
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn run_one(kit: &Kit, job: Job) -> bool {
    let started = Instant::now();
    let (stage, result) = match Stage::new(kit, job.cli, job.case.name) {
        Ok(stage) => bounded(stage, job),
        Err(error) => (None, Err(error)),
    };
    let took = started.elapsed().as_secs_f32();
    if let Some(stage) = &stage {
        stage.close();
    }
    match result {
        Ok(()) => {
            print(&format!("ok    {} ({took:.1} s)", job.name()));
            if let Some(stage) = stage {
                // What cannot be removed now is cleared by the next run.
                let _left = fs::remove_dir_all(stage.dir());
            }
            true
        }
        Err(error) => {
            let place = stage.map_or_else(String::new, |stage| {
                format!("\n      records: {}", stage.logs().display())
            });
            let why = format!("{error:#}").replace('\n', "\n      ");
            print(&format!(
                "FAIL  {} ({took:.1} s)\n      {why}{place}",
                job.name()
            ));
            false
        }
    }
}

/// The case on a thread of its own: a hang is a failure, not the suite's end.
fn bounded(stage: Stage, job: Job) -> (Option<Arc<Stage>>, Result<()>) {
    let stage = Arc::new(stage);
    let (send, receive) = mpsc::channel();
    let inner = Arc::clone(&stage);
    thread::spawn(move || {
        let run = AssertUnwindSafe(|| (job.case.run)(&inner));
        let result = panic::catch_unwind(run).unwrap_or_else(|_| Err(anyhow!("the case panicked")));
        drop(inner);
        // Nobody listens any more when the case was late.
        let _late = send.send(result);
    });
    let result = receive.recv_timeout(CASE_LIMIT).unwrap_or_else(|error| {
        Err(match error {
            RecvTimeoutError::Timeout => anyhow!("not done after {CASE_LIMIT:?}"),
            RecvTimeoutError::Disconnected => anyhow!("the case ended without a result"),
        })
    });
    (Some(stage), result)
}

//! Timing processes from their start to their end, cases interleaved, so that what else the machine
//! does falls on all of them alike.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};

use super::house::Surroundings;

/// One case and what was measured of it, in microseconds.
pub struct Case {
    /// Its name in the table.
    pub name: &'static str,
    program: PathBuf,
    around: Surroundings,
    took: Vec<f64>,
}

/// A case's figures, in microseconds.
pub struct Figures {
    /// The median.
    pub p50: f64,
    /// Nine of ten took at most this.
    pub p90: f64,
    /// 99 of 100 took at most this.
    pub p99: f64,
}

impl Case {
    /// A case.
    pub fn new(name: &'static str, program: &Path, around: Surroundings) -> Self {
        Self {
            name,
            program: program.to_owned(),
            around,
            took: Vec::new(),
        }
    }

    /// As it would be typed.
    pub fn command(&self) -> String {
        let env: Vec<String> = self
            .around
            .env
            .iter()
            .map(|(n, v)| format!("{n}={v} "))
            .collect();
        let name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        format!(
            "env -i {}{} <{} >/dev/null",
            env.concat(),
            name(&self.program),
            name(&self.around.payload)
        )
    }

    fn once(&self) -> anyhow::Result<f64> {
        let stdin = File::open(&self.around.payload)?;
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(self.around.env.iter().map(|(name, value)| (name, value)))
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let begun = Instant::now();
        let status = command
            .spawn()
            .with_context(|| format!("starting {}", self.name))?
            .wait()?;
        let took = begun.elapsed();
        if !status.success() {
            bail!("{} ended with {status}", self.name);
        }
        Ok(took.as_secs_f64() * 1e6)
    }

    /// What was measured.
    pub fn figures(&self) -> Figures {
        let mut sorted = self.took.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (sorted.len().saturating_sub(1)) as f64 * share;
            sorted
                .get(place.round() as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        Figures {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
        }
    }
}

/// Runs every case once a round; the first rounds warm up and do not count.
pub fn run(cases: &mut [Case], rounds: usize) -> anyhow::Result<()> {
    const WARM_UP: usize = 20;
    for round in 0..rounds + WARM_UP {
        for case in cases.iter_mut() {
            let took = case.once()?;
            if round >= WARM_UP {
                case.took.push(took);
            }
        }
    }
    Ok(())
}

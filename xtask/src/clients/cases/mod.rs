//! The cases, one file each. A case is written once and runs on each of its CLIs.

mod lab_context;
mod lab_nested;
mod lab_parallel;
mod lab_stop;
mod lab_subagent;

use anyhow::Result;

use super::packages::Cli;
use super::stage::Stage;

/// One case.
pub struct Case {
    pub name: &'static str,
    /// What it shows, for `--list`.
    pub about: &'static str,
    pub clis: &'static [Cli],
    /// Whether it needs the product's binaries.
    pub product: bool,
    pub run: fn(&Stage) -> Result<()>,
}

/// All cases, the lab's own checks first.
pub const ALL: &[Case] = &[
    lab_context::CASE,
    lab_parallel::CASE,
    lab_stop::CASE,
    lab_subagent::CASE,
    lab_nested::CASE,
];

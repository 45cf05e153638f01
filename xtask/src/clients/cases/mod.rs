//! The cases, one file each. A case is written once and runs on each of its CLIs.

mod agent_answers;
mod burst;
mod cut_off;
mod daemon;
mod during_tool;
mod failing_tool;
mod gate_again;
mod gate_holds;
mod git_then_message;
mod killed;
mod lab_context;
mod lab_cut_off;
mod lab_nested;
mod lab_parallel;
mod lab_stop;
mod lab_subagent;
mod large_message;
mod nested_cli;
mod nested_other;
mod no_run_id;
mod npm_script;
mod opening;
mod parallel_tools;
mod prompt_file;
mod resumed;
mod shared;
mod subagent;
mod wired_twice;

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

const BOTH: &[Cli] = &Cli::ALL;

/// All cases, the lab's own checks first.
pub const ALL: &[Case] = &[
    lab_context::CASE,
    lab_parallel::CASE,
    lab_stop::CASE,
    lab_subagent::CASE,
    lab_nested::CASE,
    lab_cut_off::CASE,
    during_tool::CASE,
    parallel_tools::CASE,
    failing_tool::CASE,
    subagent::CASE,
    nested_cli::CASE,
    nested_other::CASE,
    gate_holds::CASE,
    gate_again::CASE,
    git_then_message::CASE,
    burst::CASE,
    large_message::CASE,
    cut_off::CASE,
    killed::CASE,
    resumed::CASE,
    daemon::DEAD,
    daemon::HUNG,
    daemon::GARBAGE,
    daemon::UNDER_LAUNCHER,
    wired_twice::CASE,
    no_run_id::CASE,
    opening::CASE,
    prompt_file::CASE,
    agent_answers::CASE,
    npm_script::CASE,
];

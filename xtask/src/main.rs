//! agent-room's own chores. What CI runs is what a person runs: one verb, one module.

mod bench;
mod clients;
mod demo;
mod dist;
mod steps;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// agent-room's own chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run the real agent CLIs against a scripted model and check what the model gets to see.
    Clients(clients::Args),
    /// Everything that CI runs.
    Test(test::Args),
    /// Build everything and show the main job: a message reaches a working agent.
    Demo,
    /// The hooks' costs, as ratios measured side by side in one run.
    Bench(bench::Args),
    /// The release binaries and what is needed to install them, in target/dist/.
    Dist,
}

/// A line for the person who runs the chore.
#[allow(clippy::print_stderr)] // a chore talks to a person
fn say(line: &str) {
    eprintln!("{line}");
}

fn main() -> anyhow::Result<ExitCode> {
    match Args::parse().verb {
        Verb::Clients(args) => clients::run(&args),
        Verb::Test(args) => test::test(&args),
        Verb::Demo => demo::demo().map(|()| ExitCode::SUCCESS),
        Verb::Bench(args) => bench::bench(&args),
        Verb::Dist => dist::dist().map(|_| ExitCode::SUCCESS),
    }
}

//! agent-room's own chores. What CI runs is what a person runs: one verb, one module.

mod clients;

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
}

fn main() -> anyhow::Result<ExitCode> {
    match Args::parse().verb {
        Verb::Clients(args) => clients::run(&args),
    }
}

//! The command line's shape.

use clap::{Parser, Subcommand};

use crate::commands::{
    create, daemon, demo, doctor, end, exec, install, messages, post, prompt, read, rooms, run,
    runs, show, start, uninstall, wait, watch, withdraw,
};

/// Rooms for running agents: what is posted to a room reaches the run at its next tool call.
#[derive(Debug, Parser)]
#[command(name = "room", version, after_help = AFTER)]
pub struct Cli {
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub json: bool,

    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER: &str = "\
Exit codes: 0 done, 1 not found or refused, 2 used wrongly, 75 the daemon cannot be reached (try again).
Environment: ROOM_HOME (where everything is kept), RUN_ID (set inside a run), ROOM_AS (the name you post under), NO_COLOR.";

/// The verbs. Each one's help stands with its arguments.
#[derive(Debug, Subcommand)]
#[allow(missing_docs)] // a text here would take that help's place
pub enum Verb {
    Run(run::Args),
    Post(post::Args),
    Read(read::Args),
    Messages(messages::Args),
    Show(show::Args),
    Withdraw(withdraw::Args),
    Wait(wait::Args),
    Runs(runs::Args),
    Watch(watch::Args),
    Start(start::Args),
    End(end::Args),
    Prompt(prompt::Args),
    Create(create::Args),
    Rooms(rooms::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Daemon(daemon::Args),
    /// Writes process.json and becomes the command
    #[command(name = "exec-child", hide = true)]
    ExecChild(exec::ChildArgs),
    /// Leaves the terminal and becomes the daemon
    #[command(name = "exec-daemon", hide = true)]
    ExecDaemon(exec::DaemonArgs),
}

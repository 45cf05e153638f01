//! The command line's shape.

use clap::{Parser, Subcommand};

use crate::commands::{
    create, daemon, demo, doctor, end, exec, install, messages, post, prompt, read, rooms, run,
    runs, show, start, uninstall, wait, watch, withdraw,
};

/// Rooms for running agents: what is posted to a room reaches the run at its next tool call.
#[derive(Debug, Parser)]
#[command(name = "room", version, disable_help_subcommand = true, after_help = AFTER)]
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

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run an agent CLI in a room
    Run(run::Args),
    /// Post a message to a room
    Post(post::Args),
    /// Read what is new in a room
    Read(read::Args),
    /// List a room's messages, and who took them
    Messages(messages::Args),
    /// Show one message whole
    Show(show::Args),
    /// Take a message back that nobody was shown yet
    Withdraw(withdraw::Args),
    /// Wait until a message was taken
    Wait(wait::Args),
    /// List runs
    Runs(runs::Args),
    /// Follow a room: a line for each message and each delivery
    Watch(watch::Args),
    /// Open a run for a launcher of your own; prints what to eval
    Start(start::Args),
    /// End a run
    End(end::Args),
    /// Print a room's conversation as an agent's opening text
    Prompt(prompt::Args),
    /// Make a room
    Create(create::Args),
    /// List rooms
    Rooms(rooms::Args),
    /// Wire the hooks into an agent CLI's own configuration
    Install(install::Args),
    /// Take the hooks out of an agent CLI's configuration
    Uninstall(uninstall::Args),
    /// Check the daemon, the home and each agent CLI's wiring
    Doctor(doctor::Args),
    /// Show the main job at work, with a private daemon; leaves nothing behind
    Demo(demo::Args),
    /// Look at, stop or run the daemon
    Daemon(daemon::Args),
    /// Writes process.json and becomes the command
    #[command(name = "exec-child", hide = true)]
    ExecChild(exec::ChildArgs),
    /// Leaves the terminal and becomes the daemon
    #[command(name = "exec-daemon", hide = true)]
    ExecDaemon(exec::DaemonArgs),
}

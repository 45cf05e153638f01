//! Running an agent CLI in a room: `room run`, and what `room start` shares with it.

pub mod alive;
pub mod child;
pub mod hooks;
pub mod program;
pub mod signals;
pub mod task;

use clap::ValueEnum;
use room_protocol::operator::OpenRun;
use room_protocol::runfile::GitPolicy;
use room_protocol::{AuthorName, RoomName};

/// How a run is opened.
#[derive(Debug, Clone, clap::Args)]
pub struct RunOptions {
    /// The name that the run posts under; without it the CLI's, with a number where it is in use
    #[arg(long, value_name = "NAME")]
    name: Option<AuthorName>,

    /// Whether the agent is reminded once, before it stops, of uncommitted or unpushed work
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Git::Off)]
    git: Git,

    /// Give the run only what is new, not the room's conversation so far
    #[arg(long)]
    no_history: bool,
}

/// `--git`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Git {
    /// No reminder
    Off,
    /// Uncommitted work
    Clean,
    /// Uncommitted or unpushed work
    Pushed,
}

impl RunOptions {
    /// Whether the conversation so far is wanted.
    pub fn history(&self) -> bool {
        !self.no_history
    }

    /// The request that opens such a run.
    pub fn open(&self, room: &RoomName, cli: &str) -> OpenRun {
        OpenRun {
            room: room.clone(),
            name: self.name.clone(),
            cli: program::label(cli),
            git: match self.git {
                Git::Off => GitPolicy::Off,
                Git::Clean => GitPolicy::Clean,
                Git::Pushed => GitPolicy::Pushed,
            },
            history: self.history(),
            interval_ms: None,
            launched: false,
        }
    }
}

//! The one table: which hook goes on which event of which agent CLI.
//!
//! Everything that wires (per launch, installed, the ready files in `hooks/`) and
//! everything that checks a wiring is made from [`table`].

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::binaries::Binaries;
use super::quote::shell_quote;

/// An agent CLI whose hooks this module knows how to wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentCli {
    /// Anthropic's Claude Code, `claude`.
    Claude,
    /// OpenAI's Codex CLI, `codex`.
    Codex,
}

impl AgentCli {
    /// All of them.
    pub const ALL: [AgentCli; 2] = [AgentCli::Claude, AgentCli::Codex];

    /// The name of the CLI's program, which is also what `--cli` is given.
    pub fn name(self) -> &'static str {
        match self {
            AgentCli::Claude => "claude",
            AgentCli::Codex => "codex",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            AgentCli::Claude => "Claude Code",
            AgentCli::Codex => "Codex",
        }
    }
}

impl fmt::Display for AgentCli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One of the three hook programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hook {
    /// Brings waiting messages into the run.
    RoomRelay,
    /// Holds a stop while messages wait.
    StopGate,
    /// Tells the daemon that the session lives.
    Heartbeat,
}

impl Hook {
    /// All of them.
    pub const ALL: [Hook; 3] = [Hook::RoomRelay, Hook::StopGate, Hook::Heartbeat];

    /// The file name of the program.
    pub fn binary(self) -> &'static str {
        match self {
            Hook::RoomRelay => "room-relay",
            Hook::StopGate => "stop-gate",
            Hook::Heartbeat => "heartbeat",
        }
    }

    /// The hook whose program has this file name.
    pub fn of_binary(name: &str) -> Option<Hook> {
        Hook::ALL.into_iter().find(|hook| hook.binary() == name)
    }
}

/// A version of an agent CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl FromStr for Version {
    type Err = ();

    /// Finds the first `N.N.N` in what `--version` prints: `2.1.332 (Claude Code)`,
    /// `codex-cli 0.171.0`.
    fn from_str(text: &str) -> Result<Version, ()> {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
            .find_map(|word| {
                let mut parts = word.split('.').map(|part| part.parse().ok());
                Some(Version(parts.next()??, parts.next()??, parts.next()??))
            })
            .ok_or(())
    }
}

/// What the CLI at hand can do. [`Features::default`] is a current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Features {
    /// Claude Code fires `PostToolBatch`: once per batch of tool calls, failed ones
    /// too. Since 2.1.118 (the event's name is in no earlier binary).
    pub post_tool_batch: bool,
    /// Claude Code runs a hook with `args` without a shell. Since 2.1.139; earlier ones
    /// ignore `args`, so there the arguments stand in the command.
    pub exec_form: bool,
}

impl Default for Features {
    fn default() -> Self {
        Features {
            post_tool_batch: true,
            exec_form: true,
        }
    }
}

impl Features {
    /// The features of a version; of a current one where the version is unknown.
    pub fn of(cli: AgentCli, version: Option<Version>) -> Features {
        match (cli, version) {
            (AgentCli::Claude, Some(version)) => Features {
                post_tool_batch: version >= Version(2, 1, 118),
                exec_form: version >= Version(2, 1, 139),
            },
            _ => Features::default(),
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The event, as the CLI spells it.
    pub event: &'static str,
    /// What runs on it.
    pub hook: Hook,
    /// After how many seconds the CLI may kill it. Far above the hook's own deadline
    /// (2 s at most): a hook killed by its CLI loses what it had printed.
    pub timeout: u32,
    /// The CLI does not wait for it.
    pub background: bool,
}

/// Seconds; the hooks themselves are done within 2.
const TIMEOUT: u32 = 5;
/// Seconds at a session's end. Codex clamps a longer one to 3, and its trust hash is
/// over the clamped value; Claude Code gives 1.5 s unless told otherwise.
const SESSION_END_TIMEOUT: u32 = 3;

/// Which hook goes on which event.
pub fn table(cli: AgentCli, features: Features) -> Vec<Wire> {
    let wire = |event: &'static str, hook| Wire {
        event,
        hook,
        timeout: if event == "SessionEnd" {
            SESSION_END_TIMEOUT
        } else {
            TIMEOUT
        },
        background: false,
    };
    let relay = |event| wire(event, Hook::RoomRelay);
    let beat = |event| wire(event, Hook::Heartbeat);
    let mut wires = vec![
        relay("SessionStart"),
        beat("SessionStart"),
        relay("UserPromptSubmit"),
    ];
    match cli {
        AgentCli::Claude => {
            if features.post_tool_batch {
                wires.push(relay("PostToolBatch"));
            } else {
                wires.extend([relay("PostToolUse"), relay("PostToolUseFailure")]);
            }
            wires.extend([
                Wire {
                    background: true,
                    ..beat("PostToolUse")
                },
                beat("SubagentStart"),
                beat("SubagentStop"),
            ]);
        }
        // Every Codex hook pays for a login shell, so there are no more than needed:
        // the relay's own question already says that the run works.
        AgentCli::Codex => wires.push(relay("PostToolUse")),
    }
    wires.extend([wire("Stop", Hook::StopGate), beat("SessionEnd")]);
    wires
}

/// A hook as it stands in a configuration file. The fields' order is the file's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handler {
    /// Always `command`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The program, or (without `args`) a line for the shell.
    pub command: String,
    /// The program's arguments; their presence makes Claude Code run it directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Seconds.
    pub timeout: u32,
    /// Claude Code does not wait for it.
    #[serde(rename = "async", skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
}

/// A group of handlers of one event (without a matcher: of every tool, every source).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// They run at the same time.
    pub hooks: Vec<Handler>,
}

/// All that is wired: per event one group, in the table's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// For whom.
    pub cli: AgentCli,
    /// Event and group.
    pub events: Vec<(&'static str, Group)>,
}

impl Plan {
    /// Fills the table in. `launch` marks hooks that were handed over with a launch, so
    /// that they and an installed copy can be told apart.
    pub fn new(cli: AgentCli, features: Features, binaries: &Binaries, launch: bool) -> Plan {
        let mut events: Vec<(&'static str, Group)> = Vec::new();
        for wire in table(cli, features) {
            let handler = handler(cli, features, binaries, launch, &wire);
            match events.iter_mut().find(|(event, _)| *event == wire.event) {
                Some((_, group)) => group.hooks.push(handler),
                None => events.push((
                    wire.event,
                    Group {
                        hooks: vec![handler],
                    },
                )),
            }
        }
        Plan { cli, events }
    }

    /// Every handler with its event.
    pub fn handlers(&self) -> impl Iterator<Item = (&'static str, &Handler)> {
        self.events
            .iter()
            .flat_map(|(event, group)| group.hooks.iter().map(move |handler| (*event, handler)))
    }
}

fn handler(
    cli: AgentCli,
    features: Features,
    binaries: &Binaries,
    launch: bool,
    wire: &Wire,
) -> Handler {
    let program = binaries.command(wire.hook);
    let mut args = vec!["--cli".to_owned(), cli.name().to_owned()];
    if launch {
        args.push("--launch".to_owned());
    }
    let exec = cli == AgentCli::Claude && features.exec_form;
    Handler {
        kind: "command",
        command: if exec {
            program.to_owned()
        } else {
            format!("{} {}", shell_quote(program), args.join(" "))
        },
        args: exec.then_some(args),
        timeout: wire.timeout,
        background: wire.background,
    }
}

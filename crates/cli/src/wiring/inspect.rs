//! Looking at a wiring, for `room doctor`: changes nothing, says what is there.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use super::claude_obstacles::disables_hooks;
use super::codex_config::{CodexConfig, Trust};
use super::codex_trust::{Identity, key};
use super::config_files::{ConfigFile, Origin, config_files};
use super::edit_file::Snapshot;
use super::hooks_file::{Found, find};
use super::jsonc::parse;
use super::places::Places;
use super::plan::{AgentCli, Features, Hook, Version, Wire, table};
use super::probe::{Ran, find_program, run};
use super::reader::{Rejection, rejection};

/// How long `--version` may take.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How long the login shell may take.
const SHELL_LIMIT: Duration = Duration::from_secs(5);
/// Seconds below which a CLI could kill a hook that is still within its own deadline
/// (2 s, and process start).
const SHORTEST: f64 = 3.0;
/// Seconds above which a hung machine would hold the agent for too long.
const LONGEST: f64 = 60.0;

/// Where to look, and with what.
#[derive(Debug, Clone)]
pub struct Sight {
    /// The configuration's directories.
    pub places: Places,
    /// `PATH`.
    pub path: OsString,
    /// `SHELL`.
    pub shell: Option<OsString>,
}

/// Everything about one CLI.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CliReport {
    /// Which.
    pub cli: AgentCli,
    /// The program along `PATH`.
    pub program: Option<PathBuf>,
    /// What it says that it is.
    pub version: Option<Version>,
    /// What came of asking, where that gave no version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_problem: Option<String>,
    /// The files with hooks.
    pub files: Vec<FileReport>,
    /// Lines of the table that are wired and would run, and how often.
    pub wires: Vec<WireReport>,
    /// What switches all hooks off, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<String>,
    /// Why Codex's configuration cannot be read, which keeps it from starting at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_problem: Option<String>,
    /// What `$SHELL -lc true` costs; every Codex hook pays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_shell: Option<ShellCost>,
}

/// A login shell, timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellCost {
    /// Which.
    pub shell: PathBuf,
    /// What came of it.
    pub ran: Ran,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// Which.
    #[serde(flatten)]
    pub file: ConfigFile,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Why the CLI passes over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Rejection>,
    /// Our hooks in it.
    pub hooks: Vec<HookReport>,
}

/// One of our hooks in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HookReport {
    /// On which event.
    pub event: String,
    /// Which hook.
    pub hook: Hook,
    /// The program as written.
    pub program: String,
    /// The program is there and may be run.
    pub runnable: bool,
    /// Seconds, where stated.
    pub timeout: Option<f64>,
    /// What is wrong with the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_problem: Option<&'static str>,
    /// Whether Codex trusts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// The line as written, by which Claude Code tells copies from each other.
    #[serde(skip)]
    identity: (String, Option<Vec<String>>),
}

impl HookReport {
    /// Whether the CLI will run it and can.
    pub fn runs(&self) -> bool {
        self.runnable && matches!(self.trust, None | Some(Trust::Trusted))
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WireReport {
    /// The event.
    pub event: &'static str,
    /// The hook.
    pub hook: Hook,
    /// How many times a session runs it: 1 is right, 0 is not wired, more is harmless
    /// and wasteful.
    pub runs: usize,
}

/// How the whole is wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wired {
    /// Not at all.
    No,
    /// Some lines of the table are missing, or would not run.
    Partly,
    /// Every line, once.
    Once,
    /// Every line, and some more than once.
    Repeatedly,
}

impl CliReport {
    /// How the whole is wired.
    pub fn wired(&self) -> Wired {
        let runs = || self.wires.iter().map(|wire| wire.runs);
        if self.switched_off.is_some() || runs().all(|runs| runs == 0) {
            Wired::No
        } else if runs().any(|runs| runs == 0) {
            Wired::Partly
        } else if runs().any(|runs| runs > 1) {
            Wired::Repeatedly
        } else {
            Wired::Once
        }
    }
}

/// Looks at one CLI and all the files it would read.
pub fn inspect(cli: AgentCli, sight: &Sight) -> CliReport {
    let program = find_program(cli.name().as_ref(), &sight.path);
    let (version, version_problem) = match &program {
        None => (None, None),
        Some(program) => ask_version(Command::new(program).arg("--version")),
    };
    let path = sight.places.codex_config();
    let text = match cli {
        AgentCli::Codex => Snapshot::read(&path)
            .map(|snapshot| snapshot.text().to_owned())
            .map_err(|error| error.to_string()),
        AgentCli::Claude => Ok(String::new()),
    };
    let config = text.as_ref().map_err(Clone::clone).and_then(|text| {
        CodexConfig::read(text).map_err(|error| format!("{}: {error}", path.display()))
    });
    let (config, config_problem) = match config {
        Ok(config) => (Some(config), None),
        Err(problem) => (None, Some(problem)),
    };
    let files: Vec<FileReport> = config_files(cli, &sight.places)
        .into_iter()
        .map(|file| inspect_file(cli, file, config.as_ref(), sight))
        .collect();
    let features = Features::of(cli, version);
    CliReport {
        cli,
        wires: table(cli, features)
            .iter()
            .map(|wire| count(cli, wire, &files))
            .collect(),
        switched_off: match cli {
            AgentCli::Claude => claude_switched_off(&files),
            AgentCli::Codex => config
                .as_ref()
                .and_then(CodexConfig::hooks_off)
                .map(str::to_owned),
        },
        login_shell: (cli == AgentCli::Codex)
            .then(|| time_shell(sight))
            .flatten(),
        program,
        version,
        version_problem,
        config_problem,
        files,
    }
}

fn ask_version(command: &mut Command) -> (Option<Version>, Option<String>) {
    match run(command, VERSION_LIMIT) {
        Ran::Ended { output, .. } => match output.parse() {
            Ok(version) => (Some(version), None),
            Err(()) => (None, Some(format!("it says {:?}", output.trim()))),
        },
        Ran::TimedOut => {
            let limit = VERSION_LIMIT.as_secs();
            (None, Some(format!("no answer within {limit} s")))
        }
        Ran::NotStarted(why) => (None, Some(why)),
    }
}

fn time_shell(sight: &Sight) -> Option<ShellCost> {
    let shell = PathBuf::from(sight.shell.clone().filter(|shell| !shell.is_empty())?);
    Some(ShellCost {
        ran: run(Command::new(&shell).args(["-lc", "true"]), SHELL_LIMIT),
        shell,
    })
}

fn inspect_file(
    cli: AgentCli,
    file: ConfigFile,
    config: Option<&CodexConfig<'_>>,
    sight: &Sight,
) -> FileReport {
    let snapshot = match Snapshot::read(&file.path) {
        Ok(snapshot) => snapshot,
        Err(error) => return unreadable(file, error.to_string()),
    };
    let Some(content) = snapshot.content else {
        return FileReport {
            file,
            problem: None,
            ignored: None,
            hooks: Vec::new(),
        };
    };
    let text = &content.text;
    let found = parse(text).and_then(|parsed| find(parsed.text, parsed.root.as_ref()));
    match found {
        Err(error) => unreadable(file, error.to_string()),
        Ok(found) => FileReport {
            ignored: rejection(cli, text),
            hooks: found
                .iter()
                .map(|found| inspect_hook(cli, &file, found, config, sight))
                .collect(),
            problem: None,
            file,
        },
    }
}

fn unreadable(file: ConfigFile, problem: String) -> FileReport {
    FileReport {
        file,
        problem: Some(problem),
        ignored: None,
        hooks: Vec::new(),
    }
}

fn inspect_hook(
    cli: AgentCli,
    file: &ConfigFile,
    found: &Found,
    config: Option<&CodexConfig<'_>>,
    sight: &Sight,
) -> HookReport {
    let root = file.path.parent().and_then(|hooks| hooks.parent());
    let program = match root.filter(|_| file.origin == Origin::Plugin) {
        Some(root) => found
            .program
            .replace("${CLAUDE_PLUGIN_ROOT}", &root.to_string_lossy()),
        None => found.program.clone(),
    };
    HookReport {
        event: found.event.clone(),
        hook: found.hook,
        runnable: find_program(program.as_ref(), &sight.path).is_some(),
        program,
        timeout: found.timeout,
        timeout_problem: timeout_problem(cli, found),
        trust: (cli == AgentCli::Codex).then(|| {
            let key = key(&file.source, &found.event, found.group, found.handler);
            config.map_or(Trust::Untrusted, |config| {
                config.trust(&key, &Identity::of(found).hash())
            })
        }),
        identity: (found.command.clone(), found.args.clone()),
    }
}

fn timeout_problem(cli: AgentCli, found: &Found) -> Option<&'static str> {
    let at_end = found.event == "SessionEnd";
    match found.timeout {
        None if at_end => None,
        None => Some("none stated: a hook that hangs would hold the agent for minutes"),
        Some(seconds) if seconds >= 1000.0 => {
            Some("the unit is seconds; this looks like milliseconds")
        }
        Some(seconds) if seconds > LONGEST => {
            Some("a hook that hangs would hold the agent for that long")
        }
        Some(seconds) if seconds < SHORTEST && !at_end => {
            Some("shorter than the hook's own deadline: what it printed could be thrown away")
        }
        Some(seconds) if cli == AgentCli::Codex && at_end && seconds > 3.0 => {
            Some("Codex cuts it to 3 seconds, with a warning at every start")
        }
        Some(_) => None,
    }
}

/// Claude Code runs a hook that is written the same way in several settings files once,
/// and a plugin's copy besides; Codex runs every copy.
fn count(cli: AgentCli, wire: &Wire, files: &[FileReport]) -> WireReport {
    let mut seen = Vec::new();
    for file in files.iter().filter(|file| file.ignored.is_none()) {
        for hook in file
            .hooks
            .iter()
            .filter(|hook| hook.event == wire.event && hook.hook == wire.hook && hook.runs())
        {
            let plugin = file.file.origin == Origin::Plugin;
            let copy = cli == AgentCli::Claude && seen.contains(&(plugin, &hook.identity));
            if !copy {
                seen.push((plugin, &hook.identity));
            }
        }
    }
    WireReport {
        event: wire.event,
        hook: wire.hook,
        runs: seen.len(),
    }
}

fn claude_switched_off(files: &[FileReport]) -> Option<String> {
    files
        .iter()
        .filter(|file| file.file.origin != Origin::Plugin && file.ignored.is_none())
        .find(|file| {
            Snapshot::read(&file.file.path).is_ok_and(|found| disables_hooks(found.text()))
        })
        .map(|file| format!("\"disableAllHooks\" in {}", file.file.path.display()))
}

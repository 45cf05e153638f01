//! Starting an agent CLI headless: directly, below the launcher, or through npm's script.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Result;

use super::packages::Cli;
use super::process::{Outcome, Running};
use super::stage::Stage;

/// A run of a CLI takes 1 to 5 seconds; more than this is a hang.
const LIMIT: Duration = Duration::from_secs(90);

/// One start of the CLI under test, put together step by step.
pub struct Agent<'a> {
    stage: &'a Stage,
    prompt: Option<String>,
    launcher: Vec<String>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    wrapper: bool,
    trusting: bool,
    resuming: Option<String>,
    limit: Duration,
    name: String,
}

impl<'a> Agent<'a> {
    pub(super) fn new(stage: &'a Stage, prompt: &str) -> Self {
        Self {
            stage,
            prompt: Some(prompt.to_owned()),
            launcher: Vec::new(),
            arguments: Vec::new(),
            environment: Vec::new(),
            wrapper: false,
            trusting: false,
            resuming: None,
            limit: LIMIT,
            name: "agent".to_owned(),
        }
    }

    /// The prompt comes on standard input from the launcher instead (`--prompt-file`).
    pub fn prompt_from_launcher(mut self) -> Self {
        self.prompt = None;
        self
    }

    /// Below `room run …`, per-launch wiring included.
    pub fn in_room<S: AsRef<str>>(mut self, arguments: &[S]) -> Self {
        let room = self.stage.kit.binaries.join("room");
        self.launcher = vec![room.display().to_string(), "run".to_owned()];
        let arguments = arguments.iter().map(|a| a.as_ref().to_owned());
        self.launcher.extend(arguments);
        self.launcher.push("--".to_owned());
        self
    }

    /// More arguments for the CLI itself.
    pub fn args<S: AsRef<str>>(mut self, arguments: &[S]) -> Self {
        let arguments = arguments.iter().map(|a| a.as_ref().to_owned());
        self.arguments.extend(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Through npm's script, which starts the real program as its child.
    pub fn through_wrapper(mut self) -> Self {
        self.wrapper = true;
        self
    }

    /// Codex skips hooks of configuration files that nobody approved; this run vouches
    /// for them. Claude Code asks nobody when headless.
    pub fn trusting_installed_hooks(mut self) -> Self {
        self.trusting = true;
        self
    }

    /// Goes on with an earlier session.
    pub fn resuming(mut self, session: &str) -> Self {
        self.resuming = Some(session.to_owned());
        self
    }

    /// The name of this start's logs, when a case starts the CLI more than once.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Starts it.
    pub fn start(self) -> Result<Running> {
        let (command, logs) = (self.command(), self.stage.logs());
        Running::start(command, &logs, &self.name, self.limit)
    }

    /// Starts it and waits for its end.
    pub fn run(self) -> Result<Outcome> {
        self.start()?.wait()
    }

    fn command(&self) -> Command {
        let program = self.program().display().to_string();
        let mut words = self.launcher.clone();
        words.push(program);
        words.extend(match self.stage.cli {
            Cli::Claude => self.claude_arguments(),
            Cli::Codex => self.codex_arguments(),
        });
        let mut command = self.stage.command(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null());
        command.envs(claude_environment(&self.stage.model.base_url()));
        command.envs(self.environment.iter().cloned());
        command
    }

    /// Below the launcher by its absolute path too: the launcher knows a CLI by its file name.
    fn program(&self) -> PathBuf {
        let cli = self.stage.cli;
        if self.wrapper {
            self.stage.wrappers().join(cli.name())
        } else {
            self.stage.kit.installed(cli).native.clone()
        }
    }

    fn claude_arguments(&self) -> Vec<String> {
        let mut words = vec!["-p".to_owned()];
        words.extend(self.prompt.clone());
        words.extend(
            [
                "--dangerously-skip-permissions",
                "--output-format",
                "stream-json",
                "--verbose",
                "--include-hook-events",
            ]
            .map(str::to_owned),
        );
        if let Some(session) = &self.resuming {
            words.extend(["--resume".to_owned(), session.clone()]);
        }
        words.extend(self.arguments.iter().cloned());
        words
    }

    fn codex_arguments(&self) -> Vec<String> {
        let mut words = vec!["exec".to_owned()];
        words.extend(
            [
                "--json",
                "--skip-git-repo-check",
                "-s",
                "danger-full-access",
            ]
            .map(str::to_owned),
        );
        if self.trusting {
            words.push("--dangerously-bypass-hook-trust".to_owned());
        }
        words.extend(self.arguments.iter().cloned());
        if let Some(session) = &self.resuming {
            words.extend(["resume".to_owned(), session.clone()]);
        }
        words.extend(self.prompt.clone());
        words
    }
}

/// What points Claude Code at the scripted model and keeps everything else silent.
/// Codex, which ignores it, may start a Claude Code in a tool call: both get it.
fn claude_environment(base_url: &str) -> [(&'static str, String); 7] {
    [
        ("ANTHROPIC_BASE_URL", base_url.to_owned()),
        ("ANTHROPIC_API_KEY", "sk-ant-mock".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        // Claude Code takes --dangerously-skip-permissions from root only in a sandbox.
        ("IS_SANDBOX", "1".to_owned()),
    ]
}

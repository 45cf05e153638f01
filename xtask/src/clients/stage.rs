//! The place where one case plays: private directories, an environment of its own,
//! and a model server. Nothing of it outlives the case but the logs of a failure.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::Signal;
use tempfile::TempDir;

use super::agent::Agent;
use super::model::Model;
use super::packages::{Cli, Installed};
use super::process;
use super::rendezvous::Rendezvous;
use super::room::Room;

/// What all cases share: where the programs are.
#[derive(Clone)]
pub struct Kit {
    pub claude: Installed,
    pub codex: Installed,
    /// Where `room`, `roomd` and the hooks were built.
    pub binaries: PathBuf,
    /// `target/clients`.
    pub clients: PathBuf,
    /// Directories of the tools that the CLIs and their scripts need (node, git, a shell).
    pub tools: Vec<PathBuf>,
}

impl Kit {
    pub fn installed(&self, cli: Cli) -> &Installed {
        match cli {
            Cli::Claude => &self.claude,
            Cli::Codex => &self.codex,
        }
    }
}

/// One case's place.
pub struct Stage {
    pub cli: Cli,
    pub kit: Kit,
    pub model: Model,
    pub room: Room,
    dir: PathBuf,
    /// Short paths for sockets, which must fit into 108 bytes.
    short: TempDir,
}

impl Stage {
    pub fn new(kit: &Kit, cli: Cli, case: &str) -> Result<Self> {
        let dir = kit.clients.join("cases").join(cli.name()).join(case);
        // Left over where an earlier suite was interrupted.
        end_processes(&dir);
        if dir.exists() {
            fs::remove_dir_all(&dir).with_context(|| format!("cannot clear {}", dir.display()))?;
        }
        for part in ["home", "project", "logs", "wrappers"] {
            fs::create_dir_all(dir.join(part))?;
        }
        let short = tempfile::Builder::new().prefix("xr").tempdir()?;
        fs::create_dir(short.path().join("tmp"))?;
        for each in Cli::ALL {
            let script = kit.installed(each).wrapper.display().to_string();
            write_program(
                &dir.join("wrappers").join(each.name()),
                &format!("exec node '{script}' \"$@\"\n"),
            )?;
        }
        let model = Model::start(&dir.join("logs/requests.jsonl"))?;
        let room = Room::new(
            kit.binaries.join("room"),
            short.path().join("room"),
            environment(kit, &dir, &short),
        );
        let stage = Self {
            cli,
            kit: kit.clone(),
            model,
            room,
            dir,
            short,
        };
        stage.write_profile()?;
        stage.found_repository()?;
        stage.write_configuration()?;
        Ok(stage)
    }

    /// The CLI's private HOME.
    pub fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// The directory in which the agent works: a git repository with one commit.
    pub fn project(&self) -> PathBuf {
        self.dir.join("project")
    }

    /// Where the case's records go: requests, hook logs, outputs.
    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    /// The whole of the case's directory, for the report.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The npm wrappers of both CLIs, named as the commands are.
    pub fn wrappers(&self) -> PathBuf {
        self.dir.join("wrappers")
    }

    /// A tool call of the agent that meets the case.
    pub fn rendezvous(&self, name: &str) -> Rendezvous {
        Rendezvous::new(self.short.path(), name)
    }

    /// The CLI under test, told to do `prompt`.
    pub fn agent(&self, prompt: &str) -> Agent<'_> {
        Agent::new(self, prompt)
    }

    /// The shell command with which an agent starts a CLI.
    pub fn nested(&self, cli: Cli, prompt: &str) -> String {
        match cli {
            Cli::Claude => {
                format!("claude -p '{prompt}' --dangerously-skip-permissions </dev/null")
            }
            Cli::Codex => format!(
                "codex exec --skip-git-repo-check -s danger-full-access '{prompt}' </dev/null"
            ),
        }
    }

    /// A command in the case's environment and project.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .envs(self.environment());
        command
    }

    /// The environment of everything that the case starts.
    pub fn environment(&self) -> Vec<(String, String)> {
        environment(&self.kit, &self.dir, &self.short)
    }

    /// The entry in the environment that marks every process of this case, so that it can
    /// be found however it was started.
    pub fn entry(&self) -> String {
        entry(&self.dir)
    }

    /// Runs git in the agent's repository.
    pub fn git(&self, args: &[&str]) -> Result<()> {
        let mut command = self.command("git");
        command.args(args);
        process::run(command, None, Duration::from_secs(20))?
            .success()
            .with_context(|| format!("git {args:?}"))?;
        Ok(())
    }

    /// Codex runs tools and hooks through a login shell, which sets the PATH anew.
    fn write_profile(&self) -> Result<()> {
        let mut entries = self.environment().into_iter();
        let path = entries.find_map(|(name, value)| (name == "PATH").then_some(value));
        let profile = format!("PATH='{}'\nexport PATH\n", path.unwrap_or_default());
        fs::write(self.home().join(".profile"), profile)?;
        Ok(())
    }

    fn found_repository(&self) -> Result<()> {
        fs::write(self.project().join("notes.txt"), "a start\n")?;
        self.git(&["init", "--quiet", "--initial-branch=main"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message=A start"])
    }

    /// Codex takes its model server from its configuration, Claude Code from the environment.
    fn write_configuration(&self) -> Result<()> {
        let codex = self.home().join(".codex");
        fs::create_dir_all(&codex)?;
        let config = format!(
            "model = \"gpt-5\"\nmodel_provider = \"scripted\"\n\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\n\n[analytics]\nenabled = false\n",
            self.model.base_url()
        );
        fs::write(codex.join("config.toml"), config)?;
        Ok(())
    }

    /// Ends whatever the case started, and keeps the daemon's and the hooks' own logs.
    pub fn close(&self) {
        self.keep_logs();
        self.model.stop();
        self.room.stop_daemon();
        end_processes(&self.dir);
    }

    fn keep_logs(&self) {
        // A case of the lab has no daemon, and so no log of one.
        let log = self.room.home().join("roomd.log");
        let _absent = fs::copy(log, self.logs().join("roomd.log"));
        let Ok(runs) = fs::read_dir(self.room.home().join("runs")) else {
            return;
        };
        for run in runs.flatten() {
            let name = run.file_name().to_string_lossy().into_owned();
            for log in ["hooks.log", "run.json"] {
                let kept = self.logs().join(format!("{name}.{log}"));
                // A run without a log is nothing to report.
                let _absent = fs::copy(run.path().join(log), kept);
            }
        }
    }
}

/// An executable shell script.
pub fn write_program(path: &Path, text: &str) -> Result<()> {
    fs::write(path, format!("#!/bin/sh\n{text}"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

const MARK: &str = "XTASK_CASE";

fn entry(dir: &Path) -> String {
    format!("{MARK}={}", dir.display())
}

fn end_processes(dir: &Path) {
    for pid in process::with_environment(&entry(dir)) {
        process::signal(pid, Signal::KILL);
    }
}

fn environment(kit: &Kit, dir: &Path, short: &TempDir) -> Vec<(String, String)> {
    let mut path = vec![kit.binaries.clone()];
    for cli in Cli::ALL {
        path.extend(kit.installed(cli).native.parent().map(Path::to_path_buf));
    }
    path.extend(kit.tools.iter().cloned());
    let path: Vec<String> = path.iter().map(|p| p.display().to_string()).collect();
    let mut entries: Vec<(String, String)> = [
        ("PATH", path.join(":")),
        ("HOME", dir.join("home").display().to_string()),
        ("SHELL", "/bin/sh".to_owned()),
        ("TMPDIR", short.path().join("tmp").display().to_string()),
        ("ROOM_HOME", short.path().join("room").display().to_string()),
        (MARK, dir.display().to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let fixed = [
        ("TERM", "dumb"),
        ("LANG", "C.UTF-8"),
        ("GIT_AUTHOR_NAME", "Case"),
        ("GIT_AUTHOR_EMAIL", "case@example.invalid"),
        ("GIT_COMMITTER_NAME", "Case"),
        ("GIT_COMMITTER_EMAIL", "case@example.invalid"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ];
    entries.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    entries
}

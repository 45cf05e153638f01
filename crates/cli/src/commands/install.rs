//! `room install claude|codex`

use clap::ValueEnum;

use crate::ctx::Ctx;
use crate::failure::{Context, Failure};
use crate::launch::hooks;
use crate::wiring::claude_settings::{self, ClaudeReport};
use crate::wiring::codex_hooks::{self, CodexReport, HOW_TO_APPROVE};
use crate::wiring::install::{FileChange, Outcome};
use crate::wiring::places::{Places, Scope};
use crate::wiring::plan::{AgentCli, Features};
use crate::wiring::reader::Rejection;
use crate::wiring::record::Records;

/// Where backups and what else undoes an installation is kept, within the home.
const RECORDS: &str = "wiring";

/// Wire the hooks into an agent CLI's own configuration
///
/// Without it room run hands them over for each launch, and no file of yours is touched.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// Codex: approve exactly these hooks in Codex's config.toml
    #[arg(long)]
    trust: bool,
}

/// Whose configuration.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The agent CLI
    #[arg(value_enum)]
    pub cli: Cli,

    /// For you, in every directory (the default)
    #[arg(long, conflicts_with = "project")]
    user: bool,

    /// For this directory only
    #[arg(long)]
    project: bool,
}

/// The agent CLIs that can be wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cli {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

impl Target {
    /// Whose configuration.
    pub fn scope(&self) -> Scope {
        if self.project {
            Scope::Project
        } else {
            Scope::User
        }
    }
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let what = || "nothing was installed".to_owned();
    let (places, records) = (places()?, records(ctx));
    let binaries = hooks::find()?;
    match args.target.cli {
        Cli::Claude => {
            if args.trust {
                return Err(Failure::Usage(
                    "--trust is for codex; Claude Code asks for no approval of hooks".to_owned(),
                ));
            }
            let features = Features::of(AgentCli::Claude, hooks::version("claude".as_ref()));
            let settings = places.claude_settings(args.target.scope());
            let report = claude_settings::install(&settings, features, &binaries, &records)
                .or_refuse(what)?;
            say_claude(&report, ctx)
        }
        Cli::Codex => {
            let scope = args.target.scope();
            let report = codex_hooks::install(&places, scope, &binaries, &records, args.trust)
                .or_refuse(what)?;
            say_codex(&report, ctx)
        }
    }
}

/// The configuration directories of this environment and directory.
pub(super) fn places() -> Result<Places, Failure> {
    let project = std::env::current_dir().or_refuse(|| "there is no directory here".to_owned())?;
    Places::new(|name| std::env::var_os(name), &project)
        .ok_or_else(|| Failure::Refused("nothing says where your home is: set HOME".to_owned()))
}

pub(super) fn records(ctx: &Ctx) -> Records {
    Records::in_dir(ctx.layout.home().join(RECORDS))
}

/// Says what became of Claude Code's settings.
pub(super) fn say_claude(report: &ClaudeReport, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(report);
    }
    say_file(&report.settings, ctx)?;
    say_ignored(report.ignored.as_ref(), ctx)
}

/// Says what became of Codex's files.
pub(super) fn say_codex(report: &CodexReport, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(report);
    }
    say_file(&report.hooks, ctx)?;
    if let Some(config) = &report.config {
        say_file(config, ctx)?;
    }
    say_ignored(report.ignored.as_ref(), ctx)?;
    if let Some(line) = report.switched_off {
        ctx.out.line(format!(
            "Codex runs no hooks at all while its config.toml says {line}"
        ))?;
    }
    if report.to_approve > 0 {
        ctx.out.line(format!(
            "{} hooks wait for your approval: {HOW_TO_APPROVE}",
            report.to_approve
        ))?;
    }
    if report.to_approve_again > 0 {
        ctx.out.line(format!(
            "{} hooks of your own have moved in the file: Codex will ask you to approve them again",
            report.to_approve_again
        ))?;
    }
    if report.two_sources {
        ctx.out
            .line("Codex's config.toml has hooks too: it runs both, and says so at every start")?;
    }
    Ok(())
}

fn say_ignored(ignored: Option<&Rejection>, ctx: &mut Ctx) -> Result<(), Failure> {
    match ignored {
        Some(why) => ctx.out.line(format!("but the file is passed over: {why}")),
        None => Ok(()),
    }
}

fn say_file(change: &FileChange, ctx: &mut Ctx) -> Result<(), Failure> {
    let what = match change.outcome {
        Outcome::Created => "made",
        Outcome::Changed => "added to",
        Outcome::Unchanged => "already as wanted:",
        Outcome::Restored => "restored, to the byte,",
        Outcome::Cleaned => "taken out of",
        Outcome::Removed => "removed",
        Outcome::NotWired => "nothing of ours in",
    };
    ctx.out.line(format!("{what} {}", change.file.display()))?;
    if let Some(real) = &change.behind_link {
        ctx.out
            .line(format!("  which is a link to {}", real.display()))?;
    }
    if let Some(backup) = &change.backup {
        ctx.out
            .line(format!("  as it was before: {}", backup.display()))?;
    }
    if let Some(others) = change.parted_from {
        ctx.out.line(format!(
            "  it had {others} more names (hard links), which keep the old content"
        ))?;
    }
    Ok(())
}

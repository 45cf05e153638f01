//! What an installation has come to, in words.

use super::Cli;
use crate::ctx::Ctx;
use crate::failure::Failure;
use crate::output::Paint;
use crate::wiring::claude_settings::ClaudeReport;
use crate::wiring::codex_hooks::{CodexReport, HOW_TO_APPROVE};
use crate::wiring::install::{FileChange, Outcome};
use crate::wiring::places::Scope;
use crate::wiring::plan::AgentCli;
use crate::wiring::reader::Rejection;

/// Says first what makes the installation useless.
pub(super) fn warn_claude(report: &ClaudeReport, ctx: &mut Ctx) -> Result<(), Failure> {
    warn_ignored(report.ignored.as_ref(), &report.settings, ctx)?;
    match &report.switched_off {
        Some(file) => {
            let why = format!("\"disableAllHooks\" in {}", file.display());
            warn(AgentCli::Claude, &why, ctx)
        }
        None => Ok(()),
    }
}

/// The same for Codex.
pub(super) fn warn_codex(report: &CodexReport, ctx: &mut Ctx) -> Result<(), Failure> {
    warn_ignored(report.ignored.as_ref(), &report.hooks, ctx)?;
    match report.switched_off {
        Some(line) => warn(
            AgentCli::Codex,
            &format!("its config.toml says {line}"),
            ctx,
        ),
        None => Ok(()),
    }
}

fn warn_ignored(
    ignored: Option<&Rejection>,
    change: &FileChange,
    ctx: &mut Ctx,
) -> Result<(), Failure> {
    match ignored {
        Some(rejection) => {
            let why = format!("{}: {rejection}", change.file.display());
            warn(rejection.cli, &why, ctx)
        }
        None => Ok(()),
    }
}

fn warn(cli: AgentCli, why: &str, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return Ok(());
    }
    let line = format!(
        "WARNING: {} will run none of these hooks: {why}",
        cli.title()
    );
    let line = ctx.out.paint(Paint::Bad, &line);
    ctx.out.line(line)
}

/// Says what became of Claude Code's settings.
pub(in crate::commands) fn say_claude(report: &ClaudeReport, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(report);
    }
    say_file(&report.settings, ctx)
}

/// Says what became of Codex's files.
pub(in crate::commands) fn say_codex(report: &CodexReport, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(report);
    }
    say_file(&report.hooks, ctx)?;
    if let Some(config) = &report.config {
        say_file(config, ctx)?;
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

/// Says what is to be done with hooks that are wired.
pub(super) fn say_next(cli: Cli, scope: Scope, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return Ok(());
    }
    let name = match cli {
        Cli::Claude => "claude",
        Cli::Codex => "codex",
    };
    if scope == Scope::Project {
        let instead = match cli {
            Cli::Claude => ": --local writes into .claude/settings.local.json instead",
            Cli::Codex => "",
        };
        ctx.out.line(format!(
            "this file is commonly shared, and has this machine's absolute paths now{instead}"
        ))?;
    }
    ctx.out.line(format!(
        "the hooks act only in runs: room run ROOM -- {name}, or eval \"$(room start ROOM)\" and then {name}"
    ))
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

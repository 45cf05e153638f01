//! Each agent CLI's wiring, in words.

use super::super::install::places;
use super::{Finding, Level};
use crate::wiring::inspect::{CliReport, FileReport, HookReport, Sight, Wired, inspect};
use crate::wiring::plan::AgentCli;
use crate::wiring::probe::Ran;

/// A login shell that takes longer than this is felt at every tool call.
const SLOW_SHELL_MS: u64 = 200;

pub(super) fn look() -> Vec<Finding> {
    let places = match places() {
        Ok(places) => places,
        Err(failure) => {
            let text = failure.text().unwrap_or_default();
            return vec![Finding::new("wiring", Level::Bad, text)];
        }
    };
    let sight = Sight {
        places,
        path: std::env::var_os("PATH").unwrap_or_default(),
        shell: std::env::var_os("SHELL"),
    };
    AgentCli::ALL
        .into_iter()
        .flat_map(|cli| findings(&inspect(cli, &sight)))
        .collect()
}

fn findings(report: &CliReport) -> Vec<Finding> {
    let about = report.cli.name();
    let mut all = vec![wired(report)];
    if let Some(why) = &report.version_problem {
        let text = format!("does not say its version: {why}");
        all.push(Finding::new(about, Level::Note, text));
    }
    if let Some(off) = &report.switched_off {
        all.push(Finding::new(
            about,
            Level::Bad,
            format!("{off} switches all hooks off, those of room run too"),
        ));
    }
    for file in &report.files {
        all.extend(of_file(about, file));
    }
    if let Some(cost) = &report.login_shell {
        let shell = cost.shell.display();
        let (level, text) = match &cost.ran {
            Ran::Ended {
                ok: true, millis, ..
            } if *millis <= SLOW_SHELL_MS => (
                Level::Good,
                format!("its hooks go through {shell} -lc, which takes {millis} ms"),
            ),
            Ran::Ended {
                ok: true, millis, ..
            } => (
                Level::Note,
                format!(
                    "its hooks go through {shell} -lc, which takes {millis} ms at every tool call: \
                     look at what your login files do"
                ),
            ),
            Ran::Ended { .. } => (Level::Bad, format!("{shell} -lc true fails")),
            Ran::TimedOut => (Level::Bad, format!("{shell} -lc true does not end")),
            Ran::NotStarted(why) => (Level::Bad, format!("{shell} cannot be started: {why}")),
        };
        all.push(Finding::new(about, level, text));
    }
    all
}

/// The first line about a CLI, with all that is known.
fn wired(report: &CliReport) -> Finding {
    let name = match (&report.program, report.version) {
        (None, _) => "not found in PATH".to_owned(),
        (Some(path), None) => path.display().to_string(),
        (Some(path), Some(version)) => format!("{version} at {}", path.display()),
    };
    let installed = report.files.iter().any(|file| !file.hooks.is_empty());
    let (level, how) = match report.wired() {
        Wired::No if installed => (
            Level::Bad,
            "installed into its configuration, and nothing of it would run".to_owned(),
        ),
        Wired::No => (
            Level::Good,
            "not installed into its configuration: room run hands the hooks over".to_owned(),
        ),
        Wired::Once => (Level::Good, "wired once".to_owned()),
        Wired::Repeatedly => (
            Level::Note,
            "wired more than once: harmless, and each copy costs its start".to_owned(),
        ),
        Wired::Partly => (Level::Bad, format!("wired in part: {}", missing(report))),
    };
    Finding {
        report: serde_json::to_value(report).ok(),
        ..Finding::new(report.cli.name(), level, format!("{name}; {how}"))
    }
}

fn missing(report: &CliReport) -> String {
    let missing: Vec<_> = report
        .wires
        .iter()
        .filter(|wire| wire.runs == 0)
        .map(|wire| format!("{} on {}", wire.hook.binary(), wire.event))
        .collect();
    format!("{} would not run", missing.join(", "))
}

fn of_file(about: &'static str, file: &FileReport) -> Vec<Finding> {
    let path = file.file.path.display();
    let mut all = vec![];
    if let Some(problem) = &file.problem {
        all.push(Finding::new(
            about,
            Level::Bad,
            format!("{path}: {problem}"),
        ));
    }
    if let Some(why) = &file.ignored {
        all.push(Finding::new(
            about,
            Level::Bad,
            format!("{path} is passed over: {why}"),
        ));
    }
    for hook in &file.hooks {
        all.extend(of_hook(about, hook, &path.to_string()));
    }
    all
}

fn of_hook(about: &'static str, hook: &HookReport, path: &str) -> Vec<Finding> {
    use crate::wiring::codex_config::Trust;
    let name = format!("{} on {} in {path}", hook.hook.binary(), hook.event);
    let mut all = vec![];
    if !hook.runnable {
        let text = format!("{name}: {} is not there or may not be run", hook.program);
        all.push(Finding::new(about, Level::Bad, text));
    }
    let trust = match hook.trust {
        None | Some(Trust::Trusted) => None,
        Some(Trust::Untrusted) => Some("not approved: codex exec passes over it without a word"),
        Some(Trust::Modified) => Some("changed since it was approved: passed over without a word"),
        Some(Trust::Disabled) => Some("switched off by you"),
    };
    if let Some(trust) = trust {
        all.push(Finding::new(about, Level::Bad, format!("{name}: {trust}")));
    }
    if let Some(problem) = hook.timeout_problem {
        all.push(Finding::new(
            about,
            Level::Note,
            format!("{name}: its timeout: {problem}"),
        ));
    }
    all
}

//! Each agent CLI's wiring, in words.

use super::super::install::places;
use super::{Finding, Level};
use crate::wiring::codex_config::Trust;
use crate::wiring::inspect::{CliReport, FileReport, HookReport, Sight, Wired, inspect};
use crate::wiring::plan::AgentCli;
use crate::wiring::probe::Ran;

/// What to do about hooks that Codex does not trust.
const APPROVE: &str = "room install codex --trust approves them, or /hooks in codex";
/// A login shell that takes longer than this is felt at every tool call.
const SLOW_SHELL_MS: u64 = 200;

/// `has_hooks`: there are hooks that `room run` can hand over.
pub(super) fn look(has_hooks: bool) -> Vec<Finding> {
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
        .flat_map(|cli| findings(&inspect(cli, &sight), has_hooks))
        .collect()
}

fn findings(report: &CliReport, has_hooks: bool) -> Vec<Finding> {
    let about = report.cli.name();
    let mut all = vec![wired(report, has_hooks)];
    if let Some(problem) = &report.config_problem {
        let text = format!("cannot start: {problem}");
        all.push(Finding::new(about, Level::Bad, text));
    }
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
        all.extend(of_file(about, file, report.config_problem.is_none()));
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
fn wired(report: &CliReport, has_hooks: bool) -> Finding {
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
        Wired::No if !has_hooks => (
            Level::Bad,
            "not installed into its configuration, and room run has no hooks to hand over"
                .to_owned(),
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
    // What is not there is neither right nor wrong.
    let level = match (&report.program, level) {
        (None, Level::Good) => Level::Note,
        (None, Level::Bad) if !installed => Level::Note,
        (_, level) => level,
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

fn of_file(about: &'static str, file: &FileReport, config_is_read: bool) -> Vec<Finding> {
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
    all.extend(of_hooks(about, file, config_is_read));
    all
}

/// What is wrong with the hooks of a file: one finding a fault, whatever the number of hooks that have it.
fn of_hooks(about: &'static str, file: &FileReport, config_is_read: bool) -> Vec<Finding> {
    let mut faults: Vec<(Level, String, Vec<String>)> = vec![];
    for hook in &file.hooks {
        for (level, fault) in faults_of(hook, config_is_read) {
            let name = format!("{} on {}", hook.hook.binary(), hook.event);
            match faults.iter_mut().find(|(_, known, _)| *known == fault) {
                Some((_, _, names)) => names.push(name),
                None => faults.push((level, fault, vec![name])),
            }
        }
    }
    let path = file.file.path.display();
    let finding = |(level, fault, names): (Level, String, Vec<String>)| {
        let whose = match &names[..] {
            [name] => name.clone(),
            names if names.len() == file.hooks.len() => format!("all {} hooks", names.len()),
            names => names.join(", "),
        };
        Finding::new(about, level, format!("{whose} in {path}: {fault}"))
    };
    faults.into_iter().map(finding).collect()
}

fn faults_of(hook: &HookReport, config_is_read: bool) -> Vec<(Level, String)> {
    let mut all = vec![];
    if !hook.runnable {
        let text = format!("{} is not there or may not be run", hook.program);
        all.push((Level::Bad, text));
    }
    let trust = match hook.trust {
        // Nothing is known of it while the configuration is no TOML, which is said already.
        _ if !config_is_read => None,
        None | Some(Trust::Trusted) => None,
        Some(Trust::Untrusted) => Some(format!(
            "not approved, and codex exec passes over that without a word: {APPROVE}"
        )),
        Some(Trust::Modified) => Some(format!(
            "changed since the approval, and passed over without a word: {APPROVE}"
        )),
        Some(Trust::Disabled) => Some("switched off by you: /hooks in codex undoes it".to_owned()),
    };
    all.extend(trust.map(|text| (Level::Bad, text)));
    if let Some(problem) = hook.timeout_problem {
        all.push((Level::Note, format!("its timeout: {problem}")));
    }
    all
}

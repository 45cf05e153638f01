//! What the doctor sees: stand-in CLIs and shells along a private PATH, real files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use room_cli::wiring::binaries::Binaries;
use room_cli::wiring::codex_config::Trust;
use room_cli::wiring::codex_hooks;
use room_cli::wiring::config_files::Origin;
use room_cli::wiring::inspect::{CliReport, Sight, Wired, inspect};
use room_cli::wiring::places::{Places, Scope};
use room_cli::wiring::plan::{AgentCli, Features, Version};
use room_cli::wiring::probe::{Ran, run};
use room_cli::wiring::{claude_settings, launch_claude};

use crate::wiring_support::Place;

struct Machine {
    place: Place,
    sight: Sight,
}

impl Machine {
    fn new() -> Machine {
        let place = Place::new();
        for dir in ["bin", "hooks bin", "home", "project"] {
            fs::create_dir(place.path(dir)).unwrap();
        }
        let home = place.path("home").into_os_string();
        let var = |name: &str| (name == "HOME").then(|| home.clone());
        let sight = Sight {
            places: Places::new(var, &place.path("project")).unwrap(),
            path: place.path("bin").into_os_string(),
            shell: None,
        };
        let machine = Machine { place, sight };
        for hook in ["room-relay", "stop-gate", "heartbeat"] {
            machine.program(&format!("hooks bin/{hook}"), "exit 0");
        }
        machine
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.place.put(name, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn binaries(&self) -> Binaries {
        Binaries::in_dir(&self.place.path("hooks bin")).unwrap()
    }

    fn install_claude(&self, scope: Scope) {
        claude_settings::install(
            &self.sight.places.claude_settings(scope),
            Features::default(),
            &self.binaries(),
            &self.place.records(),
        )
        .unwrap();
    }

    fn install_codex(&self, trust: bool) {
        let records = self.place.records();
        let places = &self.sight.places;
        codex_hooks::install(places, Scope::User, &self.binaries(), &records, trust).unwrap();
    }

    fn look(&self, cli: AgentCli) -> CliReport {
        inspect(cli, &self.sight)
    }

    fn edit(&self, path: &Path, from: &str, to: &str) {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from));
        fs::write(path, text.replace(from, to)).unwrap();
    }
}

#[test]
fn nothing_there_is_no_wiring_and_no_error() {
    let machine = Machine::new();
    for cli in AgentCli::ALL {
        let report = machine.look(cli);
        assert_eq!((report.program.as_deref(), report.version), (None, None));
        assert_eq!(report.wired(), Wired::No);
        assert!(
            report
                .files
                .iter()
                .all(|file| file.hooks.is_empty() && file.problem.is_none())
        );
    }
    assert!(machine.place.names("home").is_empty());
}

#[test]
fn the_version_is_asked_for() {
    let machine = Machine::new();
    machine.program("bin/claude", "echo '2.1.332 (Claude Code)'");
    machine.program("bin/codex", "echo what");
    let claude = machine.look(AgentCli::Claude);
    assert_eq!(claude.version, Some(Version(2, 1, 332)));
    assert_eq!(claude.program, Some(machine.place.path("bin/claude")));
    let codex = machine.look(AgentCli::Codex);
    assert_eq!(codex.version_problem.as_deref(), Some("it says \"what\""));
}

#[test]
fn claude_code_wired_once_twice_and_by_a_plugin_too() {
    let machine = Machine::new();
    machine.install_claude(Scope::User);
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::Once);
    assert_eq!(report.files[0].hooks.len(), 9);
    assert!(
        report.files[0]
            .hooks
            .iter()
            .all(|hook| hook.timeout_problem.is_none())
    );

    // The same line in a second settings file is run once by Claude Code.
    machine.install_claude(Scope::Project);
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::Once);
    assert_eq!(report.files[1].hooks.len(), 9);

    // A plugin's copy is run besides, once the plugin is switched on.
    let plugin = machine
        .place
        .path("home/.claude/plugins/cache/m/agent-room/0.1.0");
    launch_claude::arguments(&plugin, Features::default(), &machine.binaries()).unwrap();
    let installed = serde_json::json!({
        "version": 2,
        "plugins": {"agent-room@m": [{"scope": "user", "installPath": plugin}]}
    });
    machine.place.put(
        "home/.claude/plugins/installed_plugins.json",
        installed.to_string(),
    );
    assert_eq!(machine.look(AgentCli::Claude).wired(), Wired::Once);
    machine.place.put(
        "project/.claude/settings.local.json",
        r#"{"enabledPlugins": {"agent-room@m": true}}"#,
    );
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.files.last().unwrap().file.origin, Origin::Plugin);
    assert_eq!(report.wired(), Wired::Repeatedly);
    assert!(report.wires.iter().all(|wire| wire.runs == 2));
}

#[test]
fn what_is_wrong_with_claude_codes_wiring_is_seen() {
    let machine = Machine::new();
    machine.install_claude(Scope::User);
    let file = machine.sight.places.claude_settings(Scope::User);

    fs::remove_file(machine.place.path("hooks bin/stop-gate")).unwrap();
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::Partly);
    let gate = report.files[0]
        .hooks
        .iter()
        .find(|hook| hook.event == "Stop")
        .unwrap();
    assert!(!gate.runnable && !gate.runs());
    machine.program("hooks bin/stop-gate", "exit 0");
    fs::set_permissions(
        machine.place.path("hooks bin/stop-gate"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    assert_eq!(machine.look(AgentCli::Claude).wired(), Wired::Partly);
    machine.program("hooks bin/stop-gate", "exit 0");

    for (timeout, problem) in [
        ("5000", "milliseconds"),
        ("1", "shorter"),
        ("300", "that long"),
    ] {
        machine.edit(
            &file,
            "\"timeout\": 5\n",
            &format!("\"timeout\": {timeout}\n"),
        );
        let report = machine.look(AgentCli::Claude);
        let gate = report.files[0]
            .hooks
            .iter()
            .find(|hook| hook.event == "Stop")
            .unwrap();
        assert!(gate.timeout_problem.unwrap().contains(problem), "{gate:?}");
        machine.edit(
            &file,
            &format!("\"timeout\": {timeout}\n"),
            "\"timeout\": 5\n",
        );
    }

    machine.edit(
        &file,
        "{\n  \"hooks\"",
        "{\n  \"disableAllHooks\": true,\n  \"hooks\"",
    );
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::No);
    assert!(report.switched_off.unwrap().contains("disableAllHooks"));
    machine.edit(&file, "\"disableAllHooks\": true,", "// mine");
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::No);
    assert_eq!(report.files[0].ignored.as_ref().unwrap().at.line, 2);
    machine.edit(&file, "// mine", "oops");
    let report = machine.look(AgentCli::Claude);
    assert!(report.files[0].problem.as_ref().unwrap().contains("line 2"));
}

#[test]
fn an_older_claude_code_needs_other_events() {
    let machine = Machine::new();
    machine.install_claude(Scope::User);
    machine.program("bin/claude", "echo '2.1.100 (Claude Code)'");
    let report = machine.look(AgentCli::Claude);
    assert_eq!(report.wired(), Wired::Partly);
    let missing: Vec<_> = report.wires.iter().filter(|wire| wire.runs == 0).collect();
    assert_eq!(missing.len(), 2, "{missing:?}");
}

#[test]
fn codex_passes_over_what_it_does_not_trust() {
    let machine = Machine::new();
    machine.install_codex(false);
    let trust = |report: &CliReport| -> Vec<_> {
        report.files[0]
            .hooks
            .iter()
            .map(|hook| hook.trust.unwrap())
            .collect()
    };
    let report = machine.look(AgentCli::Codex);
    assert_eq!(trust(&report), [Trust::Untrusted; 6]);
    assert_eq!(report.wired(), Wired::No);

    machine.install_codex(true);
    let report = machine.look(AgentCli::Codex);
    assert_eq!(trust(&report), [Trust::Trusted; 6]);
    assert_eq!(report.wired(), Wired::Once);

    let file = machine.sight.places.codex_hooks(Scope::User);
    machine.edit(&file, "stop-gate' --cli", "stop-gate' --verbose --cli");
    let report = machine.look(AgentCli::Codex);
    assert_eq!(report.wired(), Wired::Partly);
    assert_eq!(
        trust(&report)
            .iter()
            .filter(|trust| **trust == Trust::Modified)
            .count(),
        1
    );

    let config = machine.sight.places.codex_config();
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("features.hooks = false\n{text}")).unwrap();
    assert_eq!(
        machine.look(AgentCli::Codex).switched_off.as_deref(),
        Some("features.hooks = false")
    );
}

#[test]
fn codex_plugins_are_found_with_their_own_keys() {
    let machine = Machine::new();
    let ready = room_cli::wiring::ready::files();
    let (_, hooks) = ready
        .iter()
        .find(|(name, _)| *name == "codex-plugin/hooks/hooks.json")
        .unwrap();
    machine.place.put(
        "home/.codex/plugins/cache/m/agent-room/0.1.0/hooks/hooks.json",
        hooks,
    );
    for hook in ["room-relay", "stop-gate", "heartbeat"] {
        machine.program(&format!("bin/{hook}"), "exit 0");
    }
    assert_eq!(machine.look(AgentCli::Codex).files.len(), 2);
    let mut config = "[plugins.\"agent-room@m\"]\nenabled = true\n".to_owned();
    for (key, hash) in codex_hooks::keys("agent-room@m:hooks/hooks.json", hooks) {
        config.push_str(&format!(
            "[hooks.state.\"{key}\"]\ntrusted_hash = \"{hash}/sha256:aa\"\n"
        ));
    }
    machine.place.put("home/.codex/config.toml", config);
    let report = machine.look(AgentCli::Codex);
    assert_eq!(report.files[2].file.origin, Origin::Plugin);
    assert_eq!(report.wired(), Wired::Once);
}

#[test]
fn the_login_shell_is_timed_for_codex_only_and_never_for_long() {
    let mut machine = Machine::new();
    machine.program("bin/shell", "test \"$*\" = '-lc true' && sleep 0.2");
    machine.sight.shell = Some(machine.place.path("bin/shell").into_os_string());
    assert_eq!(machine.look(AgentCli::Claude).login_shell, None);
    let cost = machine.look(AgentCli::Codex).login_shell.unwrap();
    let Ran::Ended {
        ok: true, millis, ..
    } = cost.ran
    else {
        panic!("{cost:?}");
    };
    assert!((200..5000).contains(&millis), "{millis}");
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let place = Place::new();
    let pid_file = place.path("pid");
    let script = format!("sleep 600 & echo $! > '{}'; wait", pid_file.display());
    let start = Instant::now();
    let ran = run(
        Command::new("sh").args(["-c", &script]),
        Duration::from_millis(300),
    );
    assert_eq!(ran, Ran::TimedOut);
    assert!(start.elapsed() < Duration::from_secs(5));
    let pid = fs::read_to_string(pid_file).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    // Gone, or dead and not yet collected by whoever inherited it.
    let deadline = Instant::now() + Duration::from_secs(5);
    while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(Instant::now() < deadline, "{pid} lives");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_output_held_open_by_a_child_is_not_waited_for() {
    let start = Instant::now();
    let ran = run(
        Command::new("sh").args(["-c", "sleep 3 & echo 1.2.3"]),
        Duration::from_secs(10),
    );
    assert!(matches!(ran, Ran::Ended { ok: true, .. }), "{ran:?}");
    assert!(start.elapsed() < Duration::from_millis(2500));
}

#[test]
fn a_program_that_cannot_be_started_says_why() {
    let ran = run(&mut Command::new("/nowhere/at/all"), Duration::from_secs(1));
    assert!(matches!(ran, Ran::NotStarted(why) if why.contains("No such file")));
}

//! Codex installed: the hook file, and the trust in `config.toml` only when asked, kept
//! to the byte around it.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use room_cli::wiring::codex_config::{CodexConfig, Trust};
use room_cli::wiring::codex_hooks::{self, CodexReport};
use room_cli::wiring::codex_trust::{Identity, key};
use room_cli::wiring::install::Outcome;
use room_cli::wiring::places::{Places, Scope};

use crate::wiring_support::{Choices, Place, odd_binaries, other_binaries, settings_text};

struct Codex {
    place: Place,
    places: Places,
}

impl Codex {
    fn new() -> Codex {
        let place = Place::new();
        let home = place.path("home");
        fs::create_dir_all(home.join(".codex")).unwrap();
        fs::create_dir(place.path("project")).unwrap();
        let var = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        let places = Places::new(var, &place.path("project")).unwrap();
        Codex { place, places }
    }

    fn config(&self) -> PathBuf {
        self.places.codex_config()
    }

    fn install(&self, scope: Scope, trust: bool) -> CodexReport {
        let records = self.place.records();
        codex_hooks::install(&self.places, scope, &odd_binaries(), &records, trust).unwrap()
    }

    fn uninstall(&self, scope: Scope) -> CodexReport {
        codex_hooks::uninstall(&self.places, scope, &self.place.records()).unwrap()
    }

    /// What Codex would do with each of our hooks in a scope's file.
    fn trust(&self, scope: Scope) -> Vec<Trust> {
        let file = self.places.codex_hooks(scope);
        let text = fs::read_to_string(&file).unwrap();
        let config = fs::read_to_string(self.config()).unwrap();
        let config = CodexConfig::read(&config).unwrap();
        codex_hooks::keys(file.to_str().unwrap(), &text)
            .iter()
            .map(|(key, hash)| config.trust(key, hash))
            .collect()
    }
}

/// Codex 0.171.0 ran a hook with each of these hashes, and skipped it with one digit
/// changed.
#[test]
fn the_trust_hash_is_the_one_that_codex_knows() {
    let bare = Identity {
        event: "PostToolUse",
        matcher: None,
        command: "'/opt/agent room/bin/room-relay' --cli codex",
        timeout: Some(5),
        background: false,
        status_message: None,
    };
    let gate = Identity {
        event: "Stop",
        // Stop knows no matcher, so it is not part of the hash.
        matcher: Some("anything"),
        command: "'/opt/agent room/bin/stop-gate' --cli codex",
        timeout: None,
        ..bare.clone()
    };
    let end = Identity {
        event: "SessionEnd",
        command: "'/opt/agent room/bin/heartbeat' --cli codex",
        ..bare.clone()
    };
    let end_by_default = Identity {
        timeout: None,
        ..end.clone()
    };
    let start = Identity {
        event: "SessionStart",
        matcher: Some("startup"),
        background: true,
        status_message: Some("é \"x\" <&> \u{2028}"),
        ..end.clone()
    };
    let known = [
        (
            bare,
            "f4da32d534a3af618ac80bf324c88b0cae28eb12fa3ed9e377b2062fd1179897",
        ),
        (
            gate,
            "53bce136bbb62cc70b7e1dd8cbbb29c8439cb690dac81c6e8b6a502b3078b681",
        ),
        (
            end,
            "26e7d1666940f2d9d114a28b8b7068febb3b682f402568d2607c69a58dfabd0d",
        ),
        (
            end_by_default,
            "95d63fe7c6fb167fc97f582a0cda3c5eb955881a8fea2a0f2022e8dcddbe43f9",
        ),
        (
            start,
            "ebbac5ab5767b37b7c4d8e16aec81887bb8e9c72d8924427e279c7563f7b26fc",
        ),
    ];
    for (identity, hash) in known {
        assert_eq!(identity.hash(), format!("sha256:{hash}"), "{identity:?}");
    }
}

#[test]
fn a_hooks_place_is_its_key() {
    assert_eq!(
        key("/home/ana/.codex/hooks.json", "UserPromptSubmit", 2, 1),
        "/home/ana/.codex/hooks.json:user_prompt_submit:2:1"
    );
}

#[test]
fn without_being_asked_no_trust_is_written() {
    let codex = Codex::new();
    let report = codex.install(Scope::User, false);
    assert_eq!(report.hooks.outcome, Outcome::Created);
    assert_eq!(
        (report.to_approve, report.config, report.ignored),
        (6, None, None)
    );
    assert!(!codex.config().exists());
    assert_eq!(codex.uninstall(Scope::User).hooks.outcome, Outcome::Removed);
    assert!(codex.place.names("home/.codex").is_empty());
}

#[test]
fn asked_it_trusts_exactly_these_hooks_and_takes_it_back() {
    let codex = Codex::new();
    let text = "model = \"gpt-5\" # mine\r\n\r\n[projects.\"/x\"]\r\ntrust_level = \"trusted\"";
    fs::write(codex.config(), text).unwrap();
    let report = codex.install(Scope::User, true);
    assert_eq!(report.to_approve, 0);
    assert_eq!(report.config.unwrap().outcome, Outcome::Changed);
    assert_eq!(codex.trust(Scope::User), [Trust::Trusted; 6]);
    let written = fs::read_to_string(codex.config()).unwrap();
    assert!(written.starts_with(text) && !written.replace("\r\n", "").contains('\n'));

    let again = codex.install(Scope::User, true);
    assert_eq!(again.hooks.outcome, Outcome::Unchanged);
    assert_eq!(again.config.unwrap().outcome, Outcome::Unchanged);
    assert_eq!(fs::read_to_string(codex.config()).unwrap(), written);

    let gone = codex.uninstall(Scope::User);
    assert_eq!(gone.config.unwrap().outcome, Outcome::Restored);
    assert_eq!(fs::read_to_string(codex.config()).unwrap(), text);
    assert!(!codex.place.path("state/wiring").exists());
}

#[test]
fn a_configuration_that_we_created_goes_with_the_trust() {
    let codex = Codex::new();
    let created = codex.install(Scope::Project, true).config.unwrap();
    assert_eq!(created.outcome, Outcome::Created);
    let gone = codex.uninstall(Scope::Project);
    assert_eq!(gone.config.unwrap().outcome, Outcome::Removed);
    assert!(codex.place.names("project").is_empty());
    assert!(codex.place.names("home/.codex").is_empty());
}

#[test]
fn two_hook_files_share_one_configuration() {
    let codex = Codex::new();
    let text = "model = \"gpt-5\"\n";
    fs::write(codex.config(), text).unwrap();
    codex.install(Scope::User, true);
    codex.install(Scope::Project, true);
    assert_eq!(codex.trust(Scope::User), [Trust::Trusted; 6]);
    assert_eq!(codex.trust(Scope::Project), [Trust::Trusted; 6]);
    codex.uninstall(Scope::User);
    assert_eq!(codex.trust(Scope::Project), [Trust::Trusted; 6]);
    let left = fs::read_to_string(codex.config()).unwrap();
    assert_eq!(left.matches("trusted_hash").count(), 6);
    codex.uninstall(Scope::Project);
    assert_eq!(fs::read_to_string(codex.config()).unwrap(), text);
}

#[test]
fn other_programs_are_other_hooks() {
    let codex = Codex::new();
    codex.install(Scope::User, true);
    let records = codex.place.records();
    let install = |trust| {
        codex_hooks::install(
            &codex.places,
            Scope::User,
            &other_binaries(),
            &records,
            trust,
        )
        .unwrap()
    };
    assert_eq!(install(false).to_approve, 6);
    assert_eq!(codex.trust(Scope::User), [Trust::Modified; 6]);
    assert_eq!(install(true).to_approve, 0);
    assert_eq!(codex.trust(Scope::User), [Trust::Trusted; 6]);
    let config = fs::read_to_string(codex.config()).unwrap();
    assert_eq!(config.matches("trusted_hash").count(), 6);
}

#[test]
fn what_the_user_did_to_the_configuration_since_stays() {
    let codex = Codex::new();
    fs::write(codex.config(), "model = \"gpt-5\"\n").unwrap();
    codex.install(Scope::User, true);
    let mut text = fs::read_to_string(codex.config()).unwrap();
    // Codex's own `/hooks` switches one off; the user adds a table behind it all.
    let end = text.find("trusted_hash").unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    text.insert_str(end, "enabled = false\n");
    text = text.replacen("gpt-5", "gpt-6", 1) + "\n[tui]\ntheme = 'x' # y\n";
    fs::write(codex.config(), &text).unwrap();
    // Installing again leaves it switched off.
    assert_eq!(codex.install(Scope::User, true).to_approve, 1);
    assert_eq!(fs::read_to_string(codex.config()).unwrap(), text);

    let gone = codex.uninstall(Scope::User);
    assert_eq!(gone.config.unwrap().outcome, Outcome::Cleaned);
    let left = fs::read_to_string(codex.config()).unwrap();
    assert_eq!(left, "model = \"gpt-6\"\n\n[tui]\ntheme = 'x' # y\n");
}

#[test]
fn approval_given_by_the_user_is_not_ours_to_take() {
    let codex = Codex::new();
    codex.install(Scope::User, true);
    let with_trust = fs::read_to_string(codex.config()).unwrap();
    codex.uninstall(Scope::User);
    // The same text, but from Codex's own dialog.
    fs::write(codex.config(), &with_trust).unwrap();
    assert_eq!(codex.install(Scope::User, false).to_approve, 0);
    codex.uninstall(Scope::User);
    assert_eq!(fs::read_to_string(codex.config()).unwrap(), with_trust);
}

#[test]
fn every_way_to_write_the_table_is_added_to_or_refused_whole() {
    let other = "trusted_hash = \"sha256:00\"";
    let cases = [
        (format!("[hooks.state.\"a:stop:0:0\"]\n{other}\n"), true),
        (
            format!("[hooks.state]\n\"a:stop:0:0\" = {{ {other} }}\n"),
            true,
        ),
        (format!("[hooks]\nstate.\"a:stop:0:0\".{other}\n"), true),
        (
            format!("hooks.state.\"a:stop:0:0\".{other}\nmodel = \"x\"\n"),
            true,
        ),
        (
            format!("hooks = {{ state = {{ \"a:stop:0:0\" = {{ {other} }} }} }}\n"),
            true,
        ),
        ("hooks = { }\n".to_owned(), false),
        ("\u{feff}model = \"x\"\n".to_owned(), true),
        ("# only a comment".to_owned(), true),
    ];
    for (text, possible) in cases {
        let codex = Codex::new();
        fs::write(codex.config(), &text).unwrap();
        let records = codex.place.records();
        let result =
            codex_hooks::install(&codex.places, Scope::User, &odd_binaries(), &records, true);
        match result {
            Ok(_) => {
                assert!(possible, "{text}");
                assert_eq!(codex.trust(Scope::User), [Trust::Trusted; 6], "{text}");
                codex.uninstall(Scope::User);
            }
            Err(error) => {
                assert!(!possible, "{text}: {error}");
                assert!(error.to_string().contains("/hooks"), "{error}");
            }
        }
        assert_eq!(fs::read_to_string(codex.config()).unwrap(), text);
    }
}

#[test]
fn a_configuration_that_is_no_toml_stops_it_before_the_first_change() {
    let codex = Codex::new();
    fs::write(codex.config(), "model = \"x\"\nmodel = \n").unwrap();
    let records = codex.place.records();
    let error = codex_hooks::install(&codex.places, Scope::User, &odd_binaries(), &records, true)
        .unwrap_err()
        .to_string();
    assert!(error.contains("config.toml: line 2, column "), "{error}");
    assert_eq!(codex.place.names("home/.codex"), ["config.toml"]);
}

#[test]
fn what_keeps_the_hooks_from_running_is_said() {
    let codex = Codex::new();
    fs::write(
        codex.config(),
        "[features]\nhooks = false\n[[hooks.Stop]]\nhooks = []\n",
    )
    .unwrap();
    fs::write(
        codex.places.codex_hooks(Scope::User),
        "{ /* c */ \"hooks\": {}}",
    )
    .unwrap();
    let report = codex.install(Scope::User, false);
    assert_eq!(report.switched_off, Some("features.hooks = false"));
    assert!(report.two_sources);
    assert_eq!(report.ignored.unwrap().at.line, 1);
}

#[test]
fn the_users_own_groups_keep_their_places_and_so_their_approval() {
    let codex = Codex::new();
    let mine = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}}"#;
    let file = codex.places.codex_hooks(Scope::User);
    fs::write(&file, mine).unwrap();
    assert_eq!(codex.install(Scope::User, false).to_approve_again, 0);
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "say");
    // Theirs added behind ours moves up when ours go: that is said.
    let mut value = value;
    let group = value["hooks"]["Stop"][0].clone();
    value["hooks"]["Stop"].as_array_mut().unwrap().push(group);
    fs::write(&file, value.to_string()).unwrap();
    assert_eq!(codex.uninstall(Scope::User).to_approve_again, 1);
}

#[test]
fn the_paths_are_spelled_as_codex_spells_them() {
    let place = Place::new();
    fs::create_dir_all(place.path("real/.codex")).unwrap();
    std::os::unix::fs::symlink(place.path("real"), place.path("home")).unwrap();
    std::os::unix::fs::symlink(place.path("real/.codex"), place.path("link")).unwrap();
    let home = place.path("home").into_os_string();
    let link = place.path("link").into_os_string();
    // HOME is taken as it is; CODEX_HOME is resolved.
    let by_home = Places::new(
        |name| (name == "HOME").then(|| home.clone()),
        place.dir.path(),
    );
    let by_variable = Places::new(
        |name| match name {
            "HOME" => Some(home.clone()),
            "CODEX_HOME" => Some(link.clone()),
            "CLAUDE_CONFIG_DIR" => Some("".into()),
            _ => None,
        },
        place.dir.path(),
    );
    assert_eq!(by_home.unwrap().codex_dir, place.path("home/.codex"));
    let by_variable = by_variable.unwrap();
    let real = fs::canonicalize(place.path("real/.codex")).unwrap();
    assert_eq!(by_variable.codex_dir, real);
    assert_eq!(by_variable.claude_dir, place.path("home/.claude"));
    assert!(Places::new(|_| None, place.dir.path()).is_none());
}

/// Some TOML that has tables, comments, odd spaces and either line end.
fn toml() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a = [b]\n"),
        Just("\n"),
        Just("   \n"),
        Just("[hooks]\n"),
        Just("[hooks.state.\"/x:stop:0:0\"]\ntrusted_hash = 'sha256:1'\n"),
        Just("[[hooks.Stop]]\nhooks = [ {type = \"command\", command = \"é\"} ]\n"),
        Just("[ a . \"b c\" ]  # c\n\tkey   =\t'v'\n"),
        Just("[z]\nlong = \"\"\"\nx\n[hooks]\n\"\"\"\n"),
    ];
    let lines = prop::collection::vec(line, 0..7);
    (lines, any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, cut)| {
        let mut text = lines.concat();
        if cut {
            text.truncate(text.trim_end().len());
        }
        if crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn install_and_uninstall_give_back_every_byte_of_both(
        config in toml(),
        hooks in prop::collection::vec(any::<u8>(), 0..200),
        touched: bool,
    ) {
        prop_assume!(CodexConfig::read(&config).is_ok());
        let codex = Codex::new();
        let hooks = settings_text(&mut Choices::new(&hooks));
        fs::write(codex.config(), &config).unwrap();
        let file = codex.places.codex_hooks(Scope::User);
        fs::write(&file, &hooks).unwrap();

        codex.install(Scope::User, true);
        prop_assert_eq!(codex.trust(Scope::User), [Trust::Trusted; 6]);
        let with = fs::read_to_string(codex.config()).unwrap();
        prop_assert!(with.starts_with(&config), "{}", with);
        let tail = if touched { "\n[added]\nby = 'hand'\n" } else { "" };
        fs::write(codex.config(), format!("{with}{tail}")).unwrap();

        codex.uninstall(Scope::User);
        prop_assert_eq!(fs::read_to_string(&file).unwrap(), hooks);
        prop_assert_eq!(fs::read_to_string(codex.config()).unwrap(), format!("{config}{tail}"));
    }
}

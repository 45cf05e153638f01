//! Files as they really are out there: what is refused stays untouched and leaves
//! nothing behind, what is accepted keeps everything that is not ours.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use room_cli::wiring::binaries::{BadBinaries, Binaries};
use room_cli::wiring::claude_settings::{self, ClaudeReport};
use room_cli::wiring::install::{Outcome, WiringError};
use room_cli::wiring::jsonc::parse;
use room_cli::wiring::plan::Features;
use room_cli::wiring::record::Records;

use crate::wiring_support::{Place, names, odd_binaries, other_binaries};

const PLAIN: &str = "{\n  \"model\": \"opus\"\n}\n";

fn install(file: &Path, records: &Records) -> Result<ClaudeReport, WiringError> {
    claude_settings::install(file, Features::default(), &odd_binaries(), records)
}

fn uninstall(file: &Path, records: &Records) -> Outcome {
    claude_settings::uninstall(file, records)
        .unwrap()
        .settings
        .outcome
}

#[test]
fn what_cannot_be_edited_safely_is_refused_with_its_place_and_left_alone() {
    let cases: &[(&[u8], &str)] = &[
        (b"{\n  \"a\": 1,\n  oops\n}", "line 3, column 3: "),
        (b"{\"a\": 1", "line 1, column 1: Unterminated object"),
        (b"{} {}", "line 1, column 4: "),
        (b"{\"a\": 'x'}", "line 1, column 7: "),
        (b"{\"a\": 1 \"b\": 2}", "Expected comma"),
        (
            b"[\n]",
            "line 1, column 1: the whole file is a list, not an object",
        ),
        (b"\"x\"", "the whole file is a string, not an object"),
        (b"// only this\n", "there are only comments in it"),
        (
            b"{\n\t\"hooks\": \"none\"\n}",
            "line 2, column 11: \"hooks\" is a string, not an object",
        ),
        (b"{\"hooks\": null}", "\"hooks\" is null, not an object"),
        (
            b"{\"hooks\": {\n\"Stop\": {}}}",
            "line 2, column 9: \"hooks.Stop\" is an object, not a list",
        ),
        (
            b"{\"hooks\": {\"Other\": true}}",
            "\"hooks.Other\" is true or false, not a list",
        ),
        (
            b"{\"hooks\": {},\n \"hooks\": {}}",
            "line 2, column 2: the key \"hooks\" is there twice",
        ),
        (
            b"{\"env\": {\"A\": \"1\", \"\\u0041\": \"2\"}}",
            "the key \"A\" is there twice",
        ),
        (b"{\"a\": \"\xff\"}", "byte 7 is not valid UTF-8"),
        (&[b'['; 5000], "Maximum nesting depth exceeded"),
    ];
    for (bytes, message) in cases {
        let place = Place::new();
        let file = place.put("conf/settings.json", bytes);
        let error = install(&file, &place.records()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.contains(file.to_str().unwrap()), "{error}");
        assert!(error.contains("nothing was changed"), "{error}");
        assert_eq!(fs::read(&file).unwrap(), *bytes);
        assert_eq!(place.names("conf"), ["settings.json"]);
        assert!(!place.path("state").exists());
    }
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let place = Place::new();
    let directory = place.path("directory");
    fs::create_dir(&directory).unwrap();
    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let dangling = place.path("dangling");
    symlink(place.path("gone/settings.json"), &dangling).unwrap();
    let circle = place.path("circle");
    symlink(&circle, &circle).unwrap();
    let below_a_file = place.put("file", "x").join("settings.json");
    let cases = [
        (directory.as_path(), "this is a directory, not a file"),
        (Path::new("/dev/null"), "a device, a pipe or a socket"),
        (&pipe, "a device, a pipe or a socket"),
        (
            &dangling,
            "which does not exist; create the target or remove the link",
        ),
        (&circle, "symbolic link"),
        (&below_a_file, "Not a directory"),
    ];
    for (path, message) in cases {
        let error = install(path, &place.records()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    assert_eq!(
        names(place.dir.path()),
        ["circle", "dangling", "directory", "file", "pipe"]
    );
}

#[test]
fn a_file_too_large_is_refused() {
    let place = Place::new();
    let file = place.put(
        "settings.json",
        format!("{{\"a\": \"{}\"}}", "x".repeat(5 << 20)),
    );
    let error = install(&file, &place.records()).unwrap_err().to_string();
    assert!(
        error.contains("is too much for a configuration file"),
        "{error}"
    );
}

#[test]
fn a_missing_file_is_created_with_its_directories_and_goes_with_them() {
    let place = Place::new();
    let file = place.path("home/.claude/settings.json");
    assert_eq!(
        install(&file, &place.records()).unwrap().settings.outcome,
        Outcome::Created
    );
    assert!(
        parse(&fs::read_to_string(&file).unwrap())
            .unwrap()
            .root
            .is_some()
    );
    assert_eq!(
        install(&file, &place.records()).unwrap().settings.outcome,
        Outcome::Unchanged
    );
    assert_eq!(uninstall(&file, &place.records()), Outcome::Removed);
    assert!(!place.path("home").exists());
    assert!(!place.path("state/wiring").exists());
    assert_eq!(uninstall(&file, &place.records()), Outcome::NotWired);
}

#[test]
fn a_created_file_that_somebody_added_to_stays_with_what_they_added() {
    let place = Place::new();
    let file = place.path("home/.claude/settings.json");
    install(&file, &place.records()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('{', "{\n  \"model\": \"opus\",", 1)).unwrap();
    assert_eq!(uninstall(&file, &place.records()), Outcome::Cleaned);
    let left: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"model": "opus"}));
}

#[test]
fn a_created_file_in_which_nothing_is_left_goes() {
    let place = Place::new();
    let file = place.path("home/.claude/settings.json");
    install(&file, &place.records()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("\n{text}\n\n")).unwrap();
    assert_eq!(uninstall(&file, &place.records()), Outcome::Removed);
    assert!(!place.path("home").exists());
}

#[test]
fn directories_that_others_use_stay() {
    let place = Place::new();
    let file = place.path("home/.claude/settings.json");
    install(&file, &place.records()).unwrap();
    place.put("home/.claude/history.jsonl", "");
    assert_eq!(uninstall(&file, &place.records()), Outcome::Removed);
    assert_eq!(place.names("home/.claude"), ["history.jsonl"]);
}

#[test]
fn an_empty_file_is_filled_and_emptied() {
    let place = Place::new();
    for empty in ["", "\n", " \r\n"] {
        let file = place.put("settings.json", empty);
        assert_eq!(
            install(&file, &place.records()).unwrap().settings.outcome,
            Outcome::Changed
        );
        let text = fs::read_to_string(&file).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        assert_eq!(uninstall(&file, &place.records()), Outcome::Restored);
        assert_eq!(fs::read_to_string(&file).unwrap(), empty);
    }
}

#[test]
fn the_mode_stays() {
    let place = Place::new();
    for mode in [0o600, 0o640, 0o664, 0o755] {
        let file = place.put("settings.json", PLAIN);
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        install(&file, &place.records()).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode);
        uninstall(&file, &place.records());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn a_read_only_file_is_respected() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    let error = install(&file, &place.records()).unwrap_err().to_string();
    assert!(
        error.contains("read-only (mode 0444)") && error.contains("chmod u+w"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAIN);
    assert!(!place.path("state/wiring").exists());
}

#[test]
fn behind_a_link_the_target_changes_and_the_link_stays() {
    let place = Place::new();
    let target = place.put("dotfiles/claude.json", PLAIN);
    fs::create_dir(place.path("home")).unwrap();
    let link = place.path("home/settings.json");
    symlink("../dotfiles/claude.json", &link).unwrap();

    let report = install(&link, &place.records()).unwrap().settings;
    let real = fs::canonicalize(&target).unwrap();
    assert_eq!(report.behind_link.as_deref(), Some(real.as_path()));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("room-relay"));
    // By its own name it is the same file with the same record.
    assert_eq!(
        install(&target, &place.records()).unwrap().settings.outcome,
        Outcome::Unchanged
    );
    assert_eq!(uninstall(&link, &place.records()), Outcome::Restored);
    assert_eq!(fs::read_to_string(&target).unwrap(), PLAIN);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_linked_directory_works_for_a_file_that_is_not_there_yet() {
    let place = Place::new();
    fs::create_dir_all(place.path("dotfiles/claude")).unwrap();
    fs::create_dir(place.path("home")).unwrap();
    symlink(place.path("dotfiles/claude"), place.path("home/.claude")).unwrap();
    let file = place.path("home/.claude/settings.json");
    assert_eq!(
        install(&file, &place.records()).unwrap().settings.outcome,
        Outcome::Created
    );
    assert_eq!(place.names("dotfiles/claude"), ["settings.json"]);
    assert_eq!(uninstall(&file, &place.records()), Outcome::Removed);
    assert!(place.names("dotfiles/claude").is_empty());
}

#[test]
fn other_names_of_the_file_are_told_about() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    fs::hard_link(&file, place.path("copy.json")).unwrap();
    assert_eq!(
        install(&file, &place.records())
            .unwrap()
            .settings
            .parted_from,
        Some(1)
    );
    assert_eq!(fs::read_to_string(place.path("copy.json")).unwrap(), PLAIN);
}

#[test]
fn the_backup_is_the_file_as_it_was_and_private() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    let backup = install(&file, &place.records())
        .unwrap()
        .settings
        .backup
        .unwrap();
    assert_eq!(fs::read_to_string(&backup).unwrap(), PLAIN);
    assert_eq!(fs::metadata(&backup).unwrap().mode() & 0o077, 0);
    assert_eq!(
        fs::metadata(backup.parent().unwrap()).unwrap().mode() & 0o077,
        0
    );
    assert_eq!(place.names("."), ["settings.json", "state"]);
}

#[test]
fn without_a_record_our_entries_are_found_by_their_looks() {
    let place = Place::new();
    let mine = "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} // keep\n    ]\n  }\n}\n";
    let file = place.put("settings.json", mine);
    install(&file, &place.records()).unwrap();
    fs::remove_dir_all(place.path("state")).unwrap();
    // Moving them works without a record too, and doubles nothing.
    claude_settings::install(
        &file,
        Features::default(),
        &other_binaries(),
        &place.records(),
    )
    .unwrap();
    let moved = fs::read_to_string(&file).unwrap();
    assert_eq!(moved.matches("/stop-gate\"").count(), 1, "{moved}");
    fs::remove_dir_all(place.path("state")).unwrap();
    assert_eq!(uninstall(&file, &place.records()), Outcome::Cleaned);
    assert_eq!(fs::read_to_string(&file).unwrap(), mine);
}

#[test]
fn a_damaged_record_counts_as_none() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    let backup = install(&file, &place.records())
        .unwrap()
        .settings
        .backup
        .unwrap();
    fs::write(&backup, "{\"model\": \"somebody else's\"}").unwrap();
    assert_eq!(uninstall(&file, &place.records()), Outcome::Cleaned);
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAIN);
}

#[test]
fn an_edit_beside_ours_is_kept_to_the_byte() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    install(&file, &place.records()).unwrap();
    let edit = |text: &str| text.replacen("opus\"", "sonnet\",\t\"x\" : 1 /* new */", 1);
    fs::write(&file, edit(&fs::read_to_string(&file).unwrap())).unwrap();
    assert_eq!(uninstall(&file, &place.records()), Outcome::Cleaned);
    assert_eq!(fs::read_to_string(&file).unwrap(), edit(PLAIN));
}

#[test]
fn an_edit_among_ours_is_kept() {
    let place = Place::new();
    let file = place.put("settings.json", PLAIN);
    install(&file, &place.records()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    // A hook of theirs in our group, a group of theirs in our list, a comment, a matcher.
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mine = serde_json::json!({"type": "command", "command": "say"});
    let hooks = &mut value["hooks"];
    hooks["Stop"][0]["hooks"]
        .as_array_mut()
        .unwrap()
        .insert(0, mine.clone());
    hooks["SessionEnd"]
        .as_array_mut()
        .unwrap()
        .push(serde_json::json!({"hooks": [mine]}));
    hooks["PostToolUse"][0]["matcher"] = "Bash".into();
    let edited = serde_json::to_string_pretty(&value).unwrap().replacen(
        "\"SessionStart\"",
        "// mine\n\"SessionStart\"",
        1,
    );
    fs::write(&file, edited).unwrap();

    assert_eq!(uninstall(&file, &place.records()), Outcome::Cleaned);
    let left = fs::read_to_string(&file).unwrap();
    let rest: serde_json::Value = serde_json::from_str(&left.replace("// mine\n", "")).unwrap();
    assert!(left.contains("// mine"), "{left}");
    assert_eq!(
        rest,
        serde_json::json!({
            "model": "opus",
            "hooks": {
                "Stop": [{"hooks": [mine]}],
                "SessionEnd": [{"hooks": [mine]}],
            }
        }),
    );
}

#[test]
fn entries_copied_by_hand_are_moved_not_doubled_and_do_not_come_back() {
    let place = Place::new();
    let ready = room_cli::wiring::ready::files();
    let file = place.put("settings.json", &ready[0].1);
    assert_eq!(
        install(&file, &place.records()).unwrap().settings.outcome,
        Outcome::Changed
    );
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("stop-gate").count(), 1, "{text}");
    uninstall(&file, &place.records());
    assert!(!fs::read_to_string(&file).unwrap().contains("stop-gate"));
}

#[test]
fn others_of_the_same_name_are_not_ours() {
    let place = Place::new();
    let theirs = r#"{"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "/usr/bin/heartbeat --cluster"},
        {"type": "command", "command": "timeout 3 stop-gate --cli claude"},
        {"type": "command", "command": "/x/stop-gate", "args": ["now"]},
        {"type": "command", "command": "echo 'room-relay --cli"}
    ]}]}}"#;
    let file = place.put("settings.json", theirs);
    assert_eq!(uninstall(&file, &place.records()), Outcome::NotWired);
    install(&file, &place.records()).unwrap();
    fs::remove_dir_all(place.path("state")).unwrap();
    uninstall(&file, &place.records());
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&fs::read(&file).unwrap()).unwrap(),
        serde_json::from_str::<serde_json::Value>(theirs).unwrap()
    );
}

#[test]
fn a_file_that_claude_code_will_not_read_is_edited_and_told_about() {
    let place = Place::new();
    let file = place.put("settings.json", "{\n  \"model\": \"opus\", // fast\n}\n");
    let ignored = install(&file, &place.records()).unwrap().ignored.unwrap();
    assert_eq!((ignored.at.line, ignored.at.column), (2, 20));
    assert!(
        ignored.to_string().contains("passes over the whole file"),
        "{ignored}"
    );
    let file = place.put("plain.json", PLAIN);
    assert_eq!(install(&file, &place.records()).unwrap().ignored, None);
}

#[test]
fn paths_that_a_configuration_cannot_hold_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let refuse = |path: &Path| Binaries::in_dir(path).unwrap_err();
    assert!(matches!(refuse(Path::new("bin")), BadBinaries::Relative(_)));
    assert!(matches!(
        refuse(Path::new("/a${HOME}b")),
        BadBinaries::Unpassable(_)
    ));
    assert!(matches!(
        refuse(Path::new("/a\nb")),
        BadBinaries::Unpassable(_)
    ));
    let latin = Path::new(OsStr::from_bytes(b"/caf\xe9"));
    assert!(matches!(refuse(latin), BadBinaries::NotUtf8(_)));
}

//! A disk that is full, a directory that may not be written, somebody else writing at the
//! same moment: the file is as it was, whole, and nothing lies beside it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use room_cli::wiring::binaries::Binaries;
use room_cli::wiring::claude_settings;
use room_cli::wiring::edit_error::EditError;
use room_cli::wiring::edit_file::Snapshot;
use room_cli::wiring::plan::Features;
use room_cli::wiring::record::Records;

use crate::wiring_support::{Place, other_binaries};

const PLAIN: &str = "{\n  \"model\": \"opus\"\n}\n";
const CHILD: &str = "WIRING_FAULT_FILE";

/// Runs one test of this file again in a process of its own. That one finds the file in
/// its environment, installs, and prints what became of it.
fn in_child(test: &str, place: &Place, shell_prefix: &str, unprivileged: bool) -> String {
    // Readable for the unprivileged user, wherever the build directory is.
    let program = place.path("test-program");
    // By another process: a descriptor of ours, open for writing, could be inherited by
    // what other tests start, and then the program could not be run.
    let copied = Command::new("cp")
        .arg(std::env::current_exe().unwrap())
        .arg(&program)
        .status();
    assert!(copied.unwrap().success());
    fs::set_permissions(place.dir.path(), Permissions::from_mode(0o777)).unwrap();
    let mut child = Command::new("sh");
    child
        .args(["-c", &format!("{shell_prefix} exec \"$@\""), "sh"])
        .arg(&program)
        .args(["--exact", &format!("{}::{test}", module()), "--nocapture"])
        .env(CHILD, place.path("conf/settings.json"))
        .current_dir("/");
    if unprivileged && rustix::process::geteuid().is_root() {
        child.uid(65534).gid(65534);
    }
    let output = child.output().unwrap();
    fs::remove_file(program).unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// This module's path without the crate's name, as the test harness spells it.
fn module() -> &'static str {
    module_path!().split_once("::").unwrap().1
}

/// In the child: install and say what happened. Returns whether this is the child.
#[allow(clippy::print_stdout)] // It is how the child answers.
fn child_installs() -> bool {
    let Some(file) = std::env::var_os(CHILD).map(PathBuf::from) else {
        return false;
    };
    let records = Records::in_dir(file.parent().unwrap().with_file_name("state"));
    let result = claude_settings::install(&file, Features::default(), &other_binaries(), &records);
    match result {
        Ok(report) => println!("done: {:?}", report.settings.outcome),
        Err(error) => println!("refused: {error}"),
    }
    true
}

fn unchanged(file: &Path) {
    assert_eq!(fs::read_to_string(file).unwrap(), PLAIN);
    let dir = file.parent().unwrap();
    assert_eq!(crate::wiring_support::names(dir), ["settings.json"]);
}

#[test]
fn a_full_disk_changes_nothing() {
    if child_installs() {
        return;
    }
    let place = Place::new();
    let file = place.put("conf/settings.json", PLAIN);
    let padding = format!("{{\"pad\": \"{}\"}}\n", "x".repeat(20_000));
    fs::write(&file, &padding).unwrap();
    // In blocks of 512 bytes: too small for the backup; for the edited file only.
    for limit in [2, 42] {
        // With the signal ignored, the write itself fails.
        let prefix = format!("trap '' XFSZ; ulimit -f {limit};");
        let said = in_child("a_full_disk_changes_nothing", &place, &prefix, false);
        assert!(
            said.contains("refused: ") && said.contains("the disk is full"),
            "{said}"
        );
        assert_eq!(said.contains("/state/"), limit == 2, "{said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), padding);
        assert_eq!(place.names("conf"), ["settings.json"]);
        assert!(
            !place.path("state").exists(),
            "the record of a change that was not made"
        );
    }

    let said = in_child("a_full_disk_changes_nothing", &place, "", false);
    assert!(said.contains("done: Changed"), "{said}");
}

#[test]
#[allow(clippy::print_stdout)] // It is how the child answers.
fn directories_made_in_vain_go_again() {
    if let Some(file) = std::env::var_os(CHILD).map(PathBuf::from) {
        let snapshot = Snapshot::read(&file.join("a/b/settings.json")).unwrap();
        println!("result: {:?}", snapshot.write(&"x".repeat(2000)));
        return;
    }
    let place = Place::new();
    let test = "directories_made_in_vain_go_again";
    let said = in_child(test, &place, "trap '' XFSZ; ulimit -f 2;", false);
    assert!(said.contains("result: Err(Full"), "{said}");
    assert!(place.names(".").is_empty());
}

#[test]
fn a_directory_that_may_not_be_written_changes_nothing() {
    if child_installs() {
        return;
    }
    let place = Place::new();
    let file = place.put("conf/settings.json", PLAIN);
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    let conf = place.path("conf");
    fs::set_permissions(&conf, Permissions::from_mode(0o555)).unwrap();
    let test = "a_directory_that_may_not_be_written_changes_nothing";
    let said = in_child(test, &place, "", true);
    assert!(said.contains("refused: cannot write in "), "{said}");
    assert!(
        said.contains("Permission denied") && said.contains("nothing was changed"),
        "{said}"
    );
    fs::set_permissions(&conf, Permissions::from_mode(0o777)).unwrap();
    unchanged(&file);
    assert!(!place.path("state").exists());
}

#[test]
fn a_file_of_somebody_else_is_not_taken_over() {
    if child_installs() {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        // Only root can make such a file; the check is the same for everybody.
        return;
    }
    let place = Place::new();
    let file = place.put("conf/settings.json", PLAIN);
    fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(place.path("conf"), Permissions::from_mode(0o777)).unwrap();
    let said = in_child(
        "a_file_of_somebody_else_is_not_taken_over",
        &place,
        "",
        true,
    );
    assert!(
        said.contains("the file belongs to user 0, group 0"),
        "{said}"
    );
    unchanged(&file);

    // Root itself keeps the owner.
    std::os::unix::fs::chown(&file, Some(65534), Some(65534)).unwrap();
    let said = in_child(
        "a_file_of_somebody_else_is_not_taken_over",
        &place,
        "",
        false,
    );
    assert!(said.contains("done: Changed"), "{said}");
    let meta = fs::metadata(&file).unwrap();
    use std::os::unix::fs::MetadataExt;
    assert_eq!(
        (meta.uid(), meta.gid(), meta.mode() & 0o777),
        (65534, 65534, 0o666)
    );
}

#[test]
fn somebody_elses_change_in_between_wins() {
    let place = Place::new();
    let changed = |error: Result<_, EditError>| matches!(error, Err(EditError::Changed { .. }));

    let file = place.put("conf/settings.json", PLAIN);
    let snapshot = Snapshot::read(&file).unwrap();
    fs::write(&file, "{\"theirs\": 1}").unwrap();
    assert!(changed(snapshot.write("{}")));
    assert!(changed(snapshot.remove().map(|()| Vec::new())));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"theirs\": 1}");

    let snapshot = Snapshot::read(&file).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    assert!(changed(snapshot.write("{}")), "a new mode is a change too");

    let snapshot = Snapshot::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(changed(snapshot.write("{}")));
    assert!(!file.exists());

    let snapshot = Snapshot::read(&file).unwrap();
    fs::write(&file, "{\"theirs\": 2}").unwrap();
    assert!(changed(snapshot.write("{}")));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"theirs\": 2}");

    let link = place.path("conf/link.json");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let snapshot = Snapshot::read(&link).unwrap();
    let other = place.put("conf/other.json", "{\"theirs\": 2}");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&other, &link).unwrap();
    assert!(
        changed(snapshot.write("{}")),
        "a link that points elsewhere now"
    );
    assert_eq!(
        place.names("conf"),
        ["link.json", "other.json", "settings.json"]
    );
}

#[test]
fn a_record_without_a_change_and_a_change_without_its_last_record_do_no_harm() {
    let place = Place::new();
    let file = place.put("conf/settings.json", PLAIN);
    let install = |binaries: &Binaries| {
        claude_settings::install(&file, Features::default(), binaries, &place.records()).unwrap()
    };
    let outcome = || {
        let report = claude_settings::uninstall(&file, &place.records()).unwrap();
        format!("{:?}", report.settings.outcome)
    };
    // Killed after the record and before the rename.
    install(&other_binaries());
    fs::write(&file, PLAIN).unwrap();
    assert_eq!(outcome(), "NotWired");
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAIN);
    assert!(!place.path("state").join("wiring").exists());
    // The same while moving the entries from one directory to another.
    install(&other_binaries());
    let first = fs::read_to_string(&file).unwrap();
    install(&crate::wiring_support::odd_binaries());
    fs::write(&file, first).unwrap();
    assert_eq!(outcome(), "Cleaned");
    assert_eq!(fs::read_to_string(&file).unwrap(), PLAIN);
}

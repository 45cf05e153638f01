//! Which git is run, and what it may run in turn.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The git to run.
pub(super) struct Program {
    /// Its absolute path.
    pub(super) git: PathBuf,
    /// The `PATH` that it gets.
    pub(super) path: OsString,
}

/// Finds git in a `PATH`. Only absolute directories outside of the work tree `top` count, for git
/// and for what it runs: in any other the repository could have put its own.
pub(super) fn find(path: Option<&OsStr>, top: &Path) -> Result<Program, String> {
    let none = || "no git outside of the repository is in PATH".to_owned();
    let dirs: Vec<PathBuf> = std::env::split_paths(path.ok_or_else(none)?)
        .filter(|dir| dir.is_absolute() && outside(dir, top))
        .collect();
    let git = dirs.iter().map(|dir| dir.join("git")).find(|git| {
        git.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
            && outside(git, top)
    });
    Ok(Program {
        git: git.ok_or_else(none)?,
        path: std::env::join_paths(dirs).map_err(|e| e.to_string())?,
    })
}

/// Where links lead counts. What is not there is nowhere.
fn outside(path: &Path, top: &Path) -> bool {
    std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(at: &Path) {
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, "").unwrap();
        std::fs::set_permissions(at, PermissionsExt::from_mode(0o755)).unwrap();
    }

    #[test]
    fn only_absolute_directories_outside_of_the_work_tree_count() {
        let tmp = tempfile::tempdir().unwrap();
        let tmp = tmp.path().canonicalize().unwrap();
        let (top, bin, linked) = (tmp.join("top"), tmp.join("bin"), tmp.join("linked"));
        program(&top.join("bin/git"));
        program(&bin.join("git"));
        std::fs::create_dir(tmp.join("plain")).unwrap();
        std::fs::write(tmp.join("plain/git"), "").unwrap();
        std::fs::create_dir(tmp.join("pointer")).unwrap();
        std::os::unix::fs::symlink(top.join("bin"), &linked).unwrap();
        std::os::unix::fs::symlink(top.join("bin/git"), tmp.join("pointer/git")).unwrap();
        let at = tmp.display();
        let path = format!(
            ":.:bin:{at}/top/bin:{at}/linked:{at}/pointer:{at}/plain:{at}/missing:{at}/bin:"
        );
        let found = find(Some(path.as_ref()), &top).ok().unwrap();
        assert_eq!(found.git, bin.join("git"));
        let rest = format!("{at}/pointer:{at}/plain:{at}/bin");
        assert_eq!(found.path, OsStr::new(&rest));
        for none in [Some(""), Some("."), Some(".:bin"), None] {
            assert!(find(none.map(OsStr::new), &top).is_err(), "{none:?}");
        }
    }
}

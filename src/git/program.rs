//! Which git is run, and what it may run in turn.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FileType, access, stat};

use super::find::is_outside;

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
    let mut git = None;
    let mut kept = Vec::new();
    let dirs = path.unwrap_or_default().as_bytes().split(|b| *b == b':');
    for dir in dirs.filter(|dir| dir.starts_with(b"/")) {
        let at = Path::new(OsStr::from_bytes(dir));
        if !is_outside(at, top) {
            continue;
        }
        if !kept.is_empty() {
            kept.push(b':');
        }
        kept.extend_from_slice(dir);
        let here = at.join("git");
        if git.is_none() && is_program(&here) && is_outside(&here, top) {
            git = Some(here);
        }
    }
    Ok(Program {
        git: git.ok_or("no git outside of the repository is in PATH")?,
        path: OsString::from_vec(kept),
    })
}

fn is_program(path: &Path) -> bool {
    stat(path).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file())
        && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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
        for none in [Some(""), Some("."), Some(".:bin"), Some("/missing"), None] {
            assert!(find(none.map(OsStr::new), &top).is_err(), "{none:?}");
        }
    }
}

//! What of a repository's own configuration is taken over.

use std::fmt::Write;
use std::fs;

use super::find::Place;

/// Settings without which the answer would be another one, and which name nothing that git would
/// run. Values are git's to understand.
const CORE: &[&str] = &[
    "attributesfile",
    "autocrlf",
    "bigfilethreshold",
    "checkstat",
    "eol",
    "excludesfile",
    "filemode",
    "ignorecase",
    "precomposeunicode",
    "sparsecheckout",
    "sparsecheckoutcone",
    "symlinks",
    "trustctime",
    "usereplacerefs",
];

/// A configuration with what is taken over.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// As a file of git's own format.
    pub(super) text: String,
    /// This work tree has further configuration of its own.
    pub(super) per_worktree: bool,
}

impl Own {
    /// Takes over what is harmless of what `git config --list -z` prints. An error names what cannot be
    /// left out and cannot be taken over either.
    pub(super) fn take(&mut self, listed: &str, place: &Place) -> Result<(), String> {
        for entry in listed.split_terminator('\0') {
            let (key, value) = match entry.split_once('\n') {
                Some((key, value)) => (key, Some(value)),
                None => (entry, None),
            };
            let refused = || format!("the repository's own configuration has {key}");
            // Sections and names come in lower case; what stands between them may have dots.
            let (section, rest) = key.split_once('.').unwrap_or((key, ""));
            let (between, name) = match rest.rsplit_once('.') {
                Some((between, name)) => (Some(between), name),
                None => (None, rest),
            };
            let taken = match (section, between, name) {
                ("filter" | "include" | "includeif", _, _) => return Err(refused()),
                ("core", None, "repositoryformatversion") => match value {
                    Some("0" | "1") => true,
                    _ => return Err(refused()),
                },
                // Both are said of the work tree that shares its directory with nobody.
                ("core", None, "bare") if is_true(value) && !place.is_linked() => {
                    return Err(refused());
                }
                ("core", None, "worktree") if !place.is_linked() => {
                    let at = place.dir.join(value.unwrap_or_default());
                    match fs::canonicalize(at) {
                        Ok(at) if at == place.top => false,
                        _ => return Err(refused()),
                    }
                }
                ("core", None, name) => CORE.contains(&name),
                ("extensions", None, name) => match (name, value) {
                    ("objectformat", _) => true,
                    ("worktreeconfig", value) => {
                        self.per_worktree = is_true(value);
                        false
                    }
                    // Of a partial clone what is missing stays so: the remote that would be asked, with the
                    // programs that it names, is not taken over.
                    ("refstorage", Some("files"))
                    | ("noop" | "partialclone" | "preciousobjects" | "relativeworktrees", _) => {
                        false
                    }
                    _ => return Err(refused()),
                },
                ("status" | "diff", None, "renames" | "renamelimit") => true,
                ("branch", Some(_), "remote" | "merge") => true,
                ("remote", Some(_), "fetch") => true,
                _ => false,
            };
            if taken {
                if entry.contains(char::REPLACEMENT_CHARACTER) {
                    return Err(refused());
                }
                self.add(section, between, name, value);
            }
        }
        Ok(())
    }

    fn add(&mut self, section: &str, between: Option<&str>, name: &str, value: Option<&str>) {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string does not fail.
        let _ = match between {
            Some(between) => writeln!(self.text, "[{section} \"{}\"]", escaped(between)),
            None => writeln!(self.text, "[{section}]"),
        };
        let _ = match value {
            Some(value) => {
                let value = escaped(value).replace('\n', "\\n");
                writeln!(self.text, "{name} = \"{value}\"")
            }
            None => writeln!(self.text, "{name}"),
        };
    }
}

fn is_true(value: Option<&str>) -> bool {
    let value = value.map(str::to_ascii_lowercase);
    !matches!(value.as_deref(), Some("" | "false" | "no" | "off" | "0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn taken(entry: &str, linked: bool) -> Result<Own, String> {
        let mut own = Own::default();
        let place = Place {
            top: PathBuf::from("/"),
            dir: PathBuf::from(if linked { "/bin" } else { "/" }),
            common: PathBuf::from("/"),
            foreign: false,
        };
        own.take(&format!("core.filemode\ntrue\0{entry}\0"), &place)?;
        Ok(own)
    }

    #[test]
    fn what_would_change_the_answer_and_cannot_be_taken_over_is_named() {
        for entry in [
            "filter.x.clean\nevil",
            "filter.A.B.process\nevil",
            "include.path\n../evil",
            "includeif.gitdir:/x/.path\nevil",
            "extensions.refstorage\nreftable",
            "extensions.unheardof\ntrue",
            "core.repositoryformatversion\n2",
            "core.bare\ntrue",
            "core.bare",
            "core.worktree\n/usr",
            "branch.\u{fffd}.remote\norigin",
        ] {
            let key = entry.split('\n').next().unwrap();
            assert!(taken(entry, false).unwrap_err().ends_with(key), "{entry}");
        }
        for entry in ["core.bare\ntrue", "core.worktree\n/usr", "core.worktree\n."] {
            assert!(taken(entry, true).is_ok(), "{entry}");
        }
    }

    #[test]
    fn nothing_that_names_a_program_is_taken_over() {
        for entry in [
            "core.fsmonitor\nevil",
            "core.sshcommand\nevil",
            "core.hookspath\nevil",
            "core.alternaterefscommand\nevil",
            "core.x.autocrlf\nevil",
            "diff.external\nevil",
            "diff.png.textconv\nevil",
            "remote.origin.promisor\ntrue",
            "remote.origin.url\next::evil",
            "credential.helper\nevil",
            "lfs.extension.x.clean\nevil",
            "alias.status\n!evil",
            "user.email\na@b",
        ] {
            let own = taken(entry, false).unwrap();
            assert_eq!(own.text, "[core]\nfilemode = \"true\"\n", "{entry}");
        }
    }

    #[test]
    fn a_value_stays_what_it_is_whatever_is_in_it() {
        let own = taken(
            "branch.a\"].b\\.merge\nx\"\n[filter \"e\"]\n\tclean = \\y",
            false,
        );
        assert_eq!(
            own.unwrap().text,
            "[core]\nfilemode = \"true\"\n[branch \"a\\\"].b\\\\\"]\n\
             merge = \"x\\\"\\n[filter \\\"e\\\"]\\n\tclean = \\\\y\"\n"
        );
        let own = taken("core.ignorecase", false).unwrap();
        assert_eq!(
            own.text,
            "[core]\nfilemode = \"true\"\n[core]\nignorecase\n"
        );
        for (entry, is) in [("\ntrue", true), ("", true), ("\nfalse", false)] {
            let own = taken(&format!("extensions.worktreeconfig{entry}"), false).unwrap();
            assert_eq!(own.per_worktree, is);
        }
    }
}

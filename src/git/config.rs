//! What of a repository's own configuration is taken over.

use super::find::Place;

/// Settings without which the answer would be another one, and which name nothing that git would
/// run. Values are git's to understand. `*` stands for any name in between.
const TAKEN: &[&str] = &[
    "branch.*.merge",
    "branch.*.remote",
    "core.attributesfile",
    "core.autocrlf",
    "core.bigfilethreshold",
    "core.checkstat",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
    "core.usereplacerefs",
    "diff.renamelimit",
    "diff.renames",
    "extensions.objectformat",
    "remote.*.fetch",
    "status.renamelimit",
    "status.renames",
];

/// Extensions that change nothing for the question. Of a partial clone what is missing stays so: the
/// remote that would be asked, with the programs that it names, is not taken over.
const PASSED_OVER: &[&str] = &[
    "extensions.noop",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
];

/// A configuration with what is taken over.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// As a file of git's own format.
    pub(super) text: Vec<u8>,
    /// This work tree has further configuration of its own.
    pub(super) per_worktree: bool,
}

impl Own {
    /// Takes over what is harmless of what `git config --list -z` prints. An error names what cannot be
    /// left out and cannot be taken over either.
    pub(super) fn take(&mut self, listed: &[u8], place: &Place) -> Result<(), String> {
        for entry in listed.split(|b| *b == 0).filter(|entry| !entry.is_empty()) {
            let (key, value) = match entry.iter().position(|b| *b == b'\n') {
                Some(at) => (&entry[..at], Some(&entry[at + 1..])),
                None => (entry, None),
            };
            // Sections and names come in lower case; what stands between them may have dots.
            let mut dots = (0..key.len()).filter(|at| key[*at] == b'.');
            let Some(first) = dots.next() else {
                continue;
            };
            let last = dots.next_back();
            let (section, name) = (&key[..first], &key[last.unwrap_or(first) + 1..]);
            let between = last.map(|last| &key[first + 1..last]);
            let mut plain = section.to_vec();
            if last.is_some() {
                plain.extend_from_slice(b".*");
            }
            plain.push(b'.');
            plain.extend_from_slice(name);
            let is = |known: &&str| plain == known.as_bytes();
            let taken = TAKEN.iter().any(is);
            let refused = match section {
                b"filter" | b"include" | b"includeif" => true,
                b"extensions" if is(&"extensions.refstorage") => value != Some(b"files"),
                b"extensions" => !taken && !PASSED_OVER.iter().any(is),
                b"core" if is(&"core.repositoryformatversion") => {
                    !matches!(value, Some(b"0" | b"1"))
                }
                // Both are said of the work tree that shares its directory with nobody.
                b"core" if place.is_linked() => false,
                b"core" if is(&"core.bare") => is_true(value),
                b"core" if is(&"core.worktree") => !place.is_at(value.unwrap_or_default()),
                _ => false,
            };
            if refused {
                let key = String::from_utf8_lossy(key);
                return Err(format!("the repository's own configuration has {key}"));
            }
            if is(&"extensions.worktreeconfig") {
                self.per_worktree = is_true(value);
            }
            if taken {
                self.add(section, between, name, value);
            }
        }
        Ok(())
    }

    fn add(&mut self, section: &[u8], between: Option<&[u8]>, name: &[u8], value: Option<&[u8]>) {
        self.text.push(b'[');
        self.text.extend_from_slice(section);
        if let Some(between) = between {
            self.quote(between);
        }
        self.text.extend_from_slice(b"]\n");
        self.text.extend_from_slice(name);
        if let Some(value) = value {
            self.text.push(b'=');
            self.quote(value);
        }
        self.text.push(b'\n');
    }

    /// As git reads it, see "Syntax" in git-config(1).
    fn quote(&mut self, text: &[u8]) {
        self.text.extend_from_slice(b" \"");
        for byte in text {
            let mut byte = *byte;
            if matches!(byte, b'\n' | b'\\' | b'"') {
                self.text.push(b'\\');
                if byte == b'\n' {
                    byte = b'n';
                }
            }
            self.text.push(byte);
        }
        self.text.push(b'"');
    }
}

fn is_true(value: Option<&[u8]>) -> bool {
    let no: [&[u8]; 5] = [b"", b"false", b"no", b"off", b"0"];
    !value.is_some_and(|value| no.iter().any(|no| value.eq_ignore_ascii_case(no)))
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
        own.take(format!("core.filemode\ntrue\0{entry}\0").as_bytes(), &place)?;
        Ok(own)
    }

    fn text(own: &Own) -> &str {
        std::str::from_utf8(&own.text).unwrap()
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
            assert_eq!(text(&own), "[core]\nfilemode= \"true\"\n", "{entry}");
        }
    }

    #[test]
    fn a_value_stays_what_it_is_whatever_is_in_it() {
        let own = taken(
            "branch.a\"].b\\.merge\nx\"\n[filter \"e\"]\n\tclean = \\y",
            false,
        );
        assert_eq!(
            text(&own.unwrap()),
            "[core]\nfilemode= \"true\"\n[branch \"a\\\"].b\\\\\"]\n\
             merge= \"x\\\"\\n[filter \\\"e\\\"]\\n\tclean = \\\\y\"\n"
        );
        let own = taken("core.ignorecase", false).unwrap();
        assert_eq!(
            text(&own),
            "[core]\nfilemode= \"true\"\n[core]\nignorecase\n"
        );
        for (entry, is) in [("\ntrue", true), ("", true), ("\nfalse", false)] {
            let own = taken(&format!("extensions.worktreeconfig{entry}"), false).unwrap();
            assert_eq!(own.per_worktree, is);
        }
    }
}

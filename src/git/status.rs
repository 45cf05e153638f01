//! What `git status --porcelain=v2 --branch -z` says.

use room_protocol::frame::preview;

/// How many paths are named.
const NAMED: usize = 3;
/// How much of a path or branch is shown, in characters.
const NAME_CHARS: usize = 80;

/// The state of a working tree and its branch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) has_commits: bool,
    branch: Option<String>,
    upstream: Option<String>,
    /// Commits that the upstream lacks; absent when there is none, or none any more.
    ahead: Option<u64>,
    changes: usize,
    paths: Vec<String>,
    more: bool,
}

impl Status {
    /// `complete`: the listing was not cut.
    pub(super) fn parse(listed: &str, complete: bool) -> Self {
        let mut status = Self {
            more: !complete,
            ..Self::default()
        };
        let mut entries = listed.split_terminator('\0');
        while let Some(entry) = entries.next() {
            let (kind, rest) = entry.split_once(' ').unwrap_or((entry, ""));
            // How many fields stand before the path.
            let fields = match kind {
                "#" => {
                    status.header(rest);
                    continue;
                }
                "1" => 7,
                "2" => {
                    // The name before the renaming is an entry of its own.
                    entries.next();
                    8
                }
                "u" => 9,
                "?" => 0,
                _ => continue,
            };
            status.changes += 1;
            if status.paths.len() < NAMED
                && let Some(path) = rest.splitn(fields + 1, ' ').nth(fields)
            {
                status.paths.push(shown(path));
            }
        }
        status
    }

    fn header(&mut self, line: &str) {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "branch.oid" => self.has_commits = value != "(initial)",
            "branch.head" if value != "(detached)" => self.branch = Some(shown(value)),
            "branch.upstream" => self.upstream = Some(shown(value)),
            "branch.ab" => {
                let ahead = value.split(' ').next().unwrap_or_default();
                self.ahead = ahead.strip_prefix('+').and_then(|n| n.parse().ok());
            }
            _ => {}
        }
    }

    /// What is not committed, in words.
    pub(super) fn uncommitted(&self) -> Option<String> {
        if self.changes == 0 {
            return None;
        }
        let at_least = if self.more { "at least " } else { "" };
        let s = if self.changes == 1 { "" } else { "s" };
        let dots = if self.changes > self.paths.len() {
            ", …"
        } else {
            ""
        };
        let (changes, paths) = (self.changes, self.paths.join(", "));
        Some(format!(
            "{at_least}{changes} uncommitted change{s} ({paths}{dots})"
        ))
    }

    /// What is not pushed, in words. `on_no_remote` counts the commits that no remote has; asked
    /// only where the branch has no upstream that could tell.
    pub(super) fn unpushed(
        &self,
        on_no_remote: impl FnOnce() -> Result<u64, String>,
    ) -> Result<Option<String>, String> {
        let commits = |n| format!("{n} commit{}", if n == 1 { "" } else { "s" });
        if let (Some(ahead), Some(upstream)) = (self.ahead, &self.upstream) {
            let left = format!("{} not pushed to {upstream}", commits(ahead));
            return Ok((ahead > 0).then_some(left));
        }
        let count = on_no_remote()?;
        let branch = match &self.branch {
            Some(branch) => format!("branch {branch} has no upstream"),
            None => "no branch is checked out".to_owned(),
        };
        let left = format!("{} that no remote has ({branch})", commits(count));
        Ok((count > 0).then_some(left))
    }
}

/// A name of the repository's, which may be anybody's words: in quotation marks, on one line.
fn shown(name: &str) -> String {
    format!("\"{}\"", preview(name, NAME_CHARS).replace('"', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_counts_once_and_names_its_path() {
        let listed = "# branch.oid abc\0# branch.head main\0# branch.upstream origin/main\0\
            # branch.ab +2 -1\0\
            1 .M N... 100644 100644 100644 a b with space.rs\0\
            2 R. N... 100644 100644 100644 a b R100 new\0? not an entry\0\
            u UU N... 1 2 3 4 a b c both\0? fresh\0";
        let status = Status::parse(listed, true);
        assert_eq!(
            status.uncommitted().unwrap(),
            "4 uncommitted changes (\"with space.rs\", \"new\", \"both\", …)"
        );
        assert_eq!(
            status.unpushed(|| unreachable!()).unwrap().unwrap(),
            "2 commits not pushed to \"origin/main\""
        );
    }

    #[test]
    fn without_an_upstream_the_remotes_tell() {
        let status = Status::parse("# branch.oid abc\0# branch.head topic\0", true);
        assert_eq!(status.uncommitted(), None);
        assert_eq!(
            status.unpushed(|| Ok(1)).unwrap().unwrap(),
            "1 commit that no remote has (branch \"topic\" has no upstream)"
        );
        assert_eq!(status.unpushed(|| Ok(0)).unwrap(), None);
        let gone = Status::parse(
            "# branch.oid abc\0# branch.head (detached)\0# branch.upstream origin/gone\0",
            true,
        );
        assert!(
            gone.unpushed(|| Ok(3))
                .unwrap()
                .unwrap()
                .contains("no branch")
        );
        assert!(!Status::parse("# branch.oid (initial)\0", true).has_commits);
    }

    #[test]
    fn a_name_cannot_leave_its_line_or_its_marks() {
        let status = Status::parse("? a\"]\n[Room demo: x\u{1b}[1m\0", true);
        let text = status.uncommitted().unwrap();
        assert!(!text.contains(['\n', '\u{1b}']), "{text}");
        assert_eq!(text.matches('"').count(), 2, "{text}");
    }
}

//! What a repository's own configuration could make git run.

/// The first key with which the repository's own configuration could name a program, or bring in a
/// file that does. `listed` is what `git config --list -z --show-scope --includes` prints.
pub(super) fn names_a_program(listed: &str) -> Option<&str> {
    let mut fields = listed.split('\0');
    while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
        // What the user and the system configured is not the repository's.
        let own = !matches!(scope, "system" | "global" | "command");
        if own && is_dangerous(key, value) {
            return Some(key);
        }
    }
    None
}

fn is_dangerous(key: &str, value: &str) -> bool {
    // Sections and names come in lower case; what stands between them does not matter here.
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    match section {
        "filter" | "include" | "includeif" => true,
        // A truth value means git's own monitor, which is switched off for the question.
        "core" if name == "fsmonitor" => !is_truth_value(value),
        "core" => matches!(
            name,
            "sshcommand" | "gitproxy" | "alternaterefscommand" | "askpass"
        ),
        "diff" => matches!(name, "external" | "command" | "textconv"),
        // A partial clone fetches what it lacks, with the programs that its remote names.
        "extensions" => name == "partialclone",
        "remote" => matches!(name, "promisor" | "uploadpack" | "vcs"),
        _ => false,
    }
}

fn is_truth_value(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(
        value.as_str(),
        "" | "true" | "false" | "yes" | "no" | "on" | "off" | "1" | "0"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(entries: &[(&str, &str)]) -> Option<String> {
        let listed: String = entries
            .iter()
            .map(|(scope, entry)| format!("{scope}\0{entry}\0"))
            .collect();
        names_a_program(&listed).map(str::to_owned)
    }

    #[test]
    fn programs_of_the_repository_are_found_and_the_users_are_not() {
        for entry in [
            "filter.x.clean\nevil",
            "filter.A.B.process\nevil",
            "core.fsmonitor\n.git/hooks/evil",
            "core.sshcommand\nevil",
            "diff.external\nevil",
            "diff.png.textconv\nevil",
            "include.path\n../evil",
            "includeif.gitdir:/x/.path\nevil",
            "extensions.partialclone\norigin",
            "remote.origin.promisor\ntrue",
        ] {
            for scope in ["local", "worktree", "unknown"] {
                let key = entry.split('\n').next().map(str::to_owned);
                let listed = [("local", "core.bare\nfalse"), (scope, entry)];
                assert_eq!(found(&listed), key, "{scope}");
            }
            assert_eq!(found(&[("global", entry), ("command", entry)]), None);
        }
    }

    #[test]
    fn what_everybody_has_is_harmless() {
        let entries = [
            "core.repositoryformatversion\n0",
            "core.hookspath\n.husky/_",
            "core.fsmonitor\ntrue",
            "core.fsmonitor",
            "remote.origin.url\ngit@example.com:a/b.git",
            "branch.main.merge\nrefs/heads/main",
            "user.email\na@b",
            "diff.algorithm\nhistogram",
        ];
        for entry in entries {
            assert_eq!(found(&[("local", entry)]), None, "{entry}");
        }
        assert_eq!(found(&[]), None);
    }
}

//! Words for a shell that we do not choose.

/// One word, quoted so that sh, bash, zsh and fish all read it back as it is.
///
/// Backslashes and single quotes stand outside the quotes: inside single quotes fish
/// takes them for escapes and the POSIX shells do not.
pub fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let mut quoted = String::with_capacity(word.len() + 2);
    let mut open = false;
    for c in word.chars() {
        let escaped = c == '\'' || c == '\\';
        if open == escaped {
            quoted.push('\'');
            open = !open;
        }
        if escaped {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    if open {
        quoted.push('\'');
    }
    if quoted.is_empty() {
        "''".to_owned()
    } else {
        quoted
    }
}

/// The words of a simple command line, or `None` where a quote stays open.
///
/// Knows quotes and backslashes and nothing else: enough to recognise what
/// [`shell_quote`] wrote, and what a person would have written instead.
pub fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const ODD: &[&str] = &[
        "/usr/bin/room-relay",
        "",
        "/opt/my tools/it's \"here\"/room-relay",
        r"/a\b\\c\'d",
        "/$HOME/$(id)/`id`/${X}",
        "'",
        r"\",
        "~/x*?[a]{b,c};&|<>#!\t\n é",
    ];

    #[test]
    fn a_quoted_word_comes_back_as_it_was() {
        for word in ODD {
            assert_eq!(
                shell_words(&shell_quote(word)),
                Some(vec![(*word).to_owned()]),
                "{word:?}"
            );
        }
    }

    #[test]
    fn sh_reads_the_quoted_word_back() {
        for word in ODD {
            let out = Command::new("sh")
                .args(["-c", &format!("printf %s {}", shell_quote(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), *word);
        }
    }

    #[test]
    fn no_backslash_stands_in_quotes_where_fish_would_take_it_for_an_escape() {
        assert_eq!(shell_quote(r"/a b\'c"), r"'/a b'\\\''c'");
    }

    #[test]
    fn plain_paths_stay_readable() {
        assert_eq!(
            shell_quote("/opt/room/bin/room-relay"),
            "/opt/room/bin/room-relay"
        );
    }

    #[test]
    fn an_open_quote_is_no_command() {
        for line in ["'a", "\"a", "a\\"] {
            assert_eq!(shell_words(line), None);
        }
    }
}

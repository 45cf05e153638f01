//! Whatever a settings file looks like: installing adds and changes nothing else, doing
//! it twice is doing it once, and uninstalling gives back every byte.

use std::fs;

use proptest::prelude::*;
use room_cli::wiring::binaries::Binaries;
use room_cli::wiring::claude_settings;
use room_cli::wiring::hooks_add::add;
use room_cli::wiring::hooks_file::find;
use room_cli::wiring::hooks_strip::{Keep, strip};
use room_cli::wiring::install::Outcome;
use room_cli::wiring::jsonc::parse;
use room_cli::wiring::plan::{AgentCli, Features, Plan};

use crate::wiring_support::{Choices, Place, odd_binaries, other_binaries, settings_text};

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..300)
        .prop_map(|bytes| settings_text(&mut Choices::new(&bytes)))
}

fn plan() -> Plan {
    Plan::new(
        AgentCli::Claude,
        Features::default(),
        &odd_binaries(),
        false,
    )
}

fn count(text: &str) -> usize {
    let parsed = parse(text).unwrap();
    find(parsed.text, parsed.root.as_ref()).unwrap().len()
}

/// Whether one text is the other with pieces put in.
fn is_subsequence(short: &str, long: &str) -> bool {
    let mut long = long.bytes();
    short.bytes().all(|byte| long.any(|other| other == byte))
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn adding_only_inserts(text in text()) {
        let (with, _) = add(&text, &plan()).unwrap();
        prop_assert!(is_subsequence(&text, &with), "{text}\n---\n{with}");
        prop_assert_eq!(count(&with), plan().handlers().count(), "{}", with);
        prop_assert_eq!(text.contains("\r\n") && !text.replace("\r\n", "").contains('\n'),
            with.contains("\r\n") && !with.replace("\r\n", "").contains('\n'), "line ends: {:?}", with);
    }

    #[test]
    fn stripping_by_looks_leaves_all_the_rest(text in text()) {
        let (with, _) = add(&text, &plan()).unwrap();
        let stripped = strip(&with, &Keep::of(&text)).unwrap();
        prop_assert_eq!(count(&stripped), 0, "{}", stripped);
        prop_assert!(is_subsequence(&stripped, &with));
        // A file that had nothing in it has an empty object now.
        if parse(&text).unwrap().root.is_some() {
            prop_assert_eq!(without_space(&stripped), without_space(&text));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn install_and_uninstall_give_back_every_byte(text in text()) {
        let place = Place::new();
        let file = place.put("settings.json", &text);
        let install = |binaries: &Binaries| claude_settings::install(
            &file, Features::default(), binaries, &place.records()).unwrap().settings.outcome;

        prop_assert_eq!(install(&odd_binaries()), Outcome::Changed);
        let first = fs::read_to_string(&file).unwrap();
        prop_assert_eq!(install(&odd_binaries()), Outcome::Unchanged);
        prop_assert_eq!(&fs::read_to_string(&file).unwrap(), &first);

        prop_assert_eq!(install(&other_binaries()), Outcome::Changed);
        let moved = fs::read_to_string(&file).unwrap();
        prop_assert_eq!(count(&moved), plan().handlers().count());
        prop_assert!(!moved.contains("$HOME"), "{}", moved);

        let report = claude_settings::uninstall(&file, &place.records()).unwrap();
        prop_assert_eq!(report.settings.outcome, Outcome::Restored);
        prop_assert_eq!(fs::read(&file).unwrap(), text.as_bytes());
        prop_assert!(!place.path("state/wiring").exists());
    }

    #[test]
    fn an_edit_in_between_stays(text in text(), at_end: bool) {
        let edit = |text: &str| if at_end {
            format!("{text}\n// edited\n")
        } else {
            let (mark, rest) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
            format!("{mark}/* edited */{rest}")
        };
        let place = Place::new();
        let file = place.put("settings.json", &text);
        claude_settings::install(&file, Features::default(), &odd_binaries(), &place.records()).unwrap();
        fs::write(&file, edit(&fs::read_to_string(&file).unwrap())).unwrap();

        let report = claude_settings::uninstall(&file, &place.records()).unwrap();
        prop_assert_eq!(report.settings.outcome, Outcome::Cleaned);
        let after = fs::read_to_string(&file).unwrap();
        prop_assert_eq!(count(&after), 0);
        if parse(&text).unwrap().root.is_some() {
            prop_assert_eq!(without_space(&after), without_space(&edit(&text)));
        }
    }
}

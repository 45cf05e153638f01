//! What adding and taking out look like, text by text.

use room_cli::wiring::binaries::Binaries;
use room_cli::wiring::hooks_add::add;
use room_cli::wiring::hooks_strip::{Keep, strip};
use room_cli::wiring::plan::{AgentCli, Features, Plan};

/// One hook is enough to see where it goes.
fn plan() -> Plan {
    let binaries = Binaries::in_dir("/b".as_ref()).unwrap();
    let mut plan = Plan::new(AgentCli::Codex, Features::default(), &binaries, false);
    plan.events.retain(|(event, _)| *event == "Stop");
    plan
}

/// Adds, with the new handler's lines folded into `OURS`.
fn added(text: &str) -> String {
    let (text, _) = add(text, &plan()).unwrap();
    let start = text.find("\"type\"").unwrap();
    let open = text[..start].rfind('{').unwrap();
    let close = start + text[start..].find('}').unwrap();
    format!("{}OURS{}", &text[..open], &text[close + 1..])
}

#[test]
fn where_it_goes_and_what_it_looks_like() {
    let cases = [
        (
            "",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          OURS\n        ]\n      }\n    ]\n  }\n}\n",
        ),
        // On one line: the closing bracket gets one of its own.
        (
            "{}",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          OURS\n        ]\n      }\n    ]\n  }\n}",
        ),
        (
            "{ \"a\": 1 }",
            "{ \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          OURS\n        ]\n      }\n    ]\n  }\n }",
        ),
        // Tabs, a trailing comma and the comment behind it.
        (
            "{\n\t\"a\": 1, // one\n}\n",
            "{\n\t\"a\": 1, // one\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\tOURS\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n}\n",
        ),
        // A comment behind the last value: the comma goes before it. Three spaces.
        (
            "{\n   \"a\": 1 // one\n}",
            "{\n   \"a\": 1, // one\n   \"hooks\": {\n      \"Stop\": [\n         {\n            \"hooks\": [\n               OURS\n            ]\n         }\n      ]\n   }\n}",
        ),
        // Into an event's list that is there already.
        (
            "{\r\n \"hooks\": {\r\n  \"Stop\": [\r\n    {}\r\n  ]\r\n }\r\n}",
            "{\r\n \"hooks\": {\r\n  \"Stop\": [\r\n    {},\r\n    {\r\n     \"hooks\": [\r\n      OURS\r\n     ]\r\n    }\r\n  ]\r\n }\r\n}",
        ),
        (
            "{\n  \"hooks\": {\"Stop\": []}\n}",
            "{\n  \"hooks\": {\"Stop\": [\n    {\n      \"hooks\": [\n        OURS\n      ]\n    }\n  ]}\n}",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(added(before), after, "{before:?}");
    }
}

const OURS: &str = r#"{"type": "command", "command": "/b/stop-gate --cli codex"}"#;

#[test]
fn what_goes_and_what_stays() {
    // `OURS` is a handler, `GROUP` a group with nothing else in it.
    let cases = [
        ("{\"hooks\": {\"Stop\": [GROUP]}}", "{}"),
        ("{\"a\": 1, \"hooks\": {\"Stop\": [GROUP]}}", "{\"a\": 1}"),
        ("{\"hooks\": {\"Stop\": [GROUP]}, \"a\": 1}", "{ \"a\": 1}"),
        ("{\"a\": 1, \"hooks\": {\"Stop\": [GROUP]},}", "{\"a\": 1,}"),
        (
            "{\"hooks\": {\"Stop\": [GROUP], \"End\": []}}",
            "{\"hooks\": { \"End\": []}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [{\"hooks\": [1, OURS, 2, OURS]}]}}",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [1, 2]}]}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [{\"hooks\": [OURS], \"matcher\": \"x\"}]}}",
            "{}",
        ),
        // A key that we do not know is somebody's.
        (
            "{\"hooks\": {\"Stop\": [{\"hooks\": [OURS], \"note\": \"x\"}]}}",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [], \"note\": \"x\"}]}}",
        ),
        // Comments stay, and with them what they stand in.
        (
            "{\"hooks\": {\"Stop\": [ // mine\n  GROUP\n]}}",
            "{\"hooks\": {\"Stop\": [ // mine\n]}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [ // mine\n  GROUP ]}}",
            "{\"hooks\": {\"Stop\": [ // mine\n ]}}",
        ),
        (
            "{\"hooks\": {/* mine */ \"Stop\": [GROUP]}}",
            "{\"hooks\": {/* mine */}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [GROUP]} /* mine */}",
            "{ /* mine */}",
        ),
        (
            "{\"hooks\": {\"Stop\": [{/* mine */ \"hooks\": [OURS]}]}}",
            "{\"hooks\": {\"Stop\": [{/* mine */ \"hooks\": []}]}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [1, // one\n GROUP, // two\n GROUP // three\n]}}",
            "{\"hooks\": {\"Stop\": [1 // one\n // two\n // three\n]}}",
        ),
        (
            "{\"hooks\": {\"Stop\": [1 // one\r, GROUP]}}",
            "{\"hooks\": {\"Stop\": [1 // one\r]}}",
        ),
    ];
    for (before, after) in cases {
        let group = format!("{{\"hooks\": [{OURS}]}}");
        let before = before.replace("GROUP", &group).replace("OURS", OURS);
        assert_eq!(
            strip(&before, &Keep::default()).unwrap(),
            after,
            "{before:?}"
        );
    }
}

#[test]
fn what_was_there_before_us_stays_even_when_empty() {
    let original = "{\"hooks\": {\"Stop\": []}}";
    let with = format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{OURS}]}}]}}}}");
    assert_eq!(strip(&with, &Keep::of(original)).unwrap(), original);
    assert_eq!(
        strip(&with, &Keep::of("{\"hooks\": {}}")).unwrap(),
        "{\"hooks\": {}}"
    );
    assert_eq!(strip(&with, &Keep::of("{}")).unwrap(), "{}");
}

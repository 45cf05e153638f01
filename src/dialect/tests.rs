use super::*;

fn fixture(text: &str) -> Payload {
    Payload::read(text.as_bytes())
}

macro_rules! recorded {
    ($file:literal) => {
        fixture(include_str!(concat!("../../tests/fixtures/", $file)))
    };
}

fn none(_: &str) -> Option<OsString> {
    None
}

fn ai_agent(value: &'static str) -> impl Fn(&str) -> Option<OsString> {
    move |name| (name == "AI_AGENT").then(|| value.into())
}

#[test]
fn each_cli_is_recognised_by_every_recorded_payload() {
    for claude in [
        recorded!("claude-code-2.1.332/SessionStart.json"),
        recorded!("claude-code-2.1.332/PostToolBatch.json"),
        recorded!("claude-code-2.1.332/PostToolUseFailure.json"),
        recorded!("claude-code-2.1.332/Stop.json"),
        recorded!("claude-code-2.1.332/SessionEnd.json"),
    ] {
        assert_eq!(choose(None, &claude, &none).name(), "claude", "{claude:?}");
    }
    for codex in [
        recorded!("codex-0.171.0/SessionStart.json"),
        recorded!("codex-0.171.0/PostToolUse.json"),
        recorded!("codex-0.171.0/Stop.json"),
        recorded!("codex-0.171.0/SessionEnd.json"),
    ] {
        assert_eq!(choose(None, &codex, &none).name(), "codex", "{codex:?}");
        assert_eq!(choose(Some("claude"), &codex, &none).name(), "claude");
        assert_eq!(choose(Some("new-cli"), &codex, &none).name(), "codex");
    }
    assert_eq!(choose(None, &Payload::default(), &none).name(), "plain");
}

#[test]
fn events_and_sources() {
    let moment = |event: &str, source: Option<&str>| {
        claude::Claude.moment(&Payload {
            event: Some(event.to_owned()),
            source: source.map(str::to_owned),
            ..Payload::default()
        })
    };
    assert_eq!(
        moment("SessionStart", Some("startup")),
        Moment::Start(Start::New)
    );
    assert_eq!(moment("SessionStart", None), Moment::Start(Start::New));
    assert_eq!(
        moment("SessionStart", Some("resume")),
        Moment::Start(Start::Resumed)
    );
    for source in ["clear", "compact", "fork"] {
        assert_eq!(
            moment("SessionStart", Some(source)),
            Moment::Start(Start::Emptied)
        );
    }
    assert_eq!(moment("PostToolUseFailure", None), Moment::Tool);
    for other in ["SubagentStop", "PreToolUse", "stop", ""] {
        assert_eq!(moment(other, None), Moment::Other, "{other}");
    }
}

#[test]
fn a_mark_names_its_moment() {
    let batch = recorded!("claude-code-2.1.332/PostToolBatch.json");
    let claude = claude::Claude;
    let proof = claude.proof(claude.moment(&batch), &batch).unwrap();
    assert_eq!(
        (proof.kind, proof.mark.as_str()),
        (ProofKind::Batch, "toolu_main_0_0")
    );
    let first = recorded!("claude-code-2.1.332/Stop.json");
    let mark = |p: &Payload| claude.proof(Moment::Stop, p).unwrap().mark;
    assert_eq!(mark(&first), mark(&first.clone()));
    let later = [
        Payload {
            stop_hook_active: Some(true),
            ..first.clone()
        },
        Payload {
            last_words: Some(1),
            ..first.clone()
        },
        Payload {
            prompt_id: None,
            ..first.clone()
        },
    ];
    for stop in later {
        assert_ne!(mark(&stop), mark(&first), "{stop:?}");
    }
    assert_eq!(claude.proof(Moment::End, &first).map(|p| p.kind), None);
}

#[test]
fn a_stop_is_held_in_the_form_that_the_version_knows() {
    let context = r#"{"hookSpecificOutput":{"additionalContext":"t","hookEventName":"Stop"}}"#;
    let block = r#"{"decision":"block","reason":"t"}"#;
    for (agent, answer) in [
        ("claude-code_2-1-332_harness", context),
        ("claude-code_2-1-163_harness", context),
        ("claude-code_2-2-0", context),
        ("claude-code_10-0-0_x", context),
        ("claude-code_2-1-162_harness", block),
        ("claude-code_2-1", block),
        ("claude-code_next_harness", block),
        ("codex_9-9-9", block),
        ("", block),
    ] {
        let var = ai_agent(agent);
        assert_eq!(claude::Claude.hold("Stop", "t", &var), answer, "{agent}");
        assert_eq!(codex::Codex.hold("Stop", "t", &var), block);
    }
    assert_eq!(claude::Claude.hold("Stop", "t", &none), block);
}

#[test]
fn an_answer_echoes_the_event_and_escapes_the_text() {
    let answer = codex::Codex.context("PostToolUse", "a \"b\"\n\u{2028}c");
    let value: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        value,
        serde_json::json!({"hookSpecificOutput": {
            "hookEventName": "PostToolUse", "additionalContext": "a \"b\"\n\u{2028}c"
        }})
    );
}

#[test]
fn the_plain_form_knows_the_other_names_of_the_same_events() {
    for (event, moment) in [
        ("AfterTool", Moment::Tool),
        ("BeforeAgent", Moment::Prompt),
        ("AfterAgent", Moment::Stop),
        ("Stop", Moment::Stop),
    ] {
        let payload = Payload {
            event: Some(event.to_owned()),
            ..Payload::default()
        };
        assert_eq!(plain::Plain.moment(&payload), moment);
    }
}

//! The server, asked over its port.

use std::io::{Read as _, Write as _};
use std::sync::mpsc;

use super::script::Steps;
use super::*;

fn start() -> (Model, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let model = Model::start(&dir.path().join("requests.jsonl")).unwrap();
    (model, dir)
}

fn post(model: &Model, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", model.port)).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn anthropic(prompt: &str) -> Value {
    json!({"model": "m", "stream": true, "tools": [{"name": "Bash"}],
           "messages": [{"role": "user", "content": prompt}]})
}

#[test]
fn steps_are_taken_in_turn_and_then_it_is_done() {
    let (model, _dir) = start();
    let take = model.play(Steps::new().parallel(["echo a", "echo b"]).say("well"));
    let answers = [(); 3].map(|()| post(&model, "/v1/messages", &anthropic("go")));
    assert_eq!(answers[0].matches("\"content_block_start\"").count(), 2);
    assert!(answers[0].contains("echo a") && answers[0].contains("\"tool_use\""));
    assert!(answers[1].contains("\"text\":\"well\""));
    assert!(answers[2].contains("\"text\":\"done\""));
    assert_eq!(take.requests().unwrap().main().len(), 3);
}

#[test]
fn a_chore_takes_no_step() {
    let (model, _dir) = start();
    let take = model.play(Steps::new().say("well"));
    let chore = json!({"model": "m", "messages": [{"role": "user", "content": "a title?"}]});
    assert!(post(&model, "/v1/messages", &chore).contains("\"text\":\"done\""));
    assert!(post(&model, "/v1/messages", &anthropic("go")).contains("\"text\":\"well\""));
    assert_eq!(take.requests().unwrap().main().len(), 1);
}

#[test]
fn side_conversations_are_told_by_their_opening_prompt_alone() {
    let (model, _dir) = start();
    let script = Script::from(Steps::new().say("main")).side("MARK", Steps::new().say("side"));
    model.play(script);
    // The parent's history holds the marker too, in the call that started the other.
    let parent = json!({"tools": [{"name": "exec_command"}], "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "spawn_agent", "arguments": "{\"message\":\"MARK\"}"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "MARK"}]}]});
    assert!(post(&model, "/v1/responses", &parent).contains("\"text\":\"main\""));
    assert!(post(&model, "/v1/messages", &anthropic("MARK")).contains("\"text\":\"side\""));
}

#[test]
fn an_action_runs_before_its_answer_and_its_failure_voids_the_take() {
    let (model, _dir) = start();
    let (send, received) = mpsc::channel();
    let action = move || {
        send.send("acted")?;
        anyhow::bail!("on purpose")
    };
    let take = model.play(Steps::new().say("well").after_request(action));
    assert!(post(&model, "/v1/messages", &anthropic("go")).contains("well"));
    assert_eq!(received.try_recv(), Ok("acted"));
    let error = take.requests().unwrap_err().to_string();
    assert!(error.contains("on purpose"), "{error}");
}

#[test]
fn every_request_is_a_line_of_the_log() {
    let (model, dir) = start();
    model.play(Steps::new());
    post(&model, "/v1/messages", &anthropic("go"));
    post(&model, "/v1/messages", &anthropic("on"));
    let log = std::fs::read_to_string(dir.path().join("requests.jsonl")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["body"], anthropic("on"));
    assert_eq!(lines[1]["conversation"], "main");
}

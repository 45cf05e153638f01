//! What several cases do or assert alike.

use anyhow::{Context as _, Result, ensure};

use crate::clients::agent::Agent;
use crate::clients::model::record::{Record, Requests};
use crate::clients::packages::Cli;
use crate::clients::room::{Delivery, Message, Room};
use crate::clients::stage::Stage;

/// The room of every case.
pub const ROOM: &str = "demo";

/// The bound on one rendered context, in bytes (DESIGN: "Bounded").
const CONTEXT_LIMIT: usize = 8_000;

/// Claude Code puts the event's name and some words before each context.
const LABEL_ALLOWANCE: usize = 120;

/// The CLI below the launcher, in the room, asking after every tool call.
pub fn in_room<'a>(stage: &'a Stage, prompt: &str) -> Agent<'a> {
    stage
        .agent(prompt)
        .in_room(&[ROOM, "--name", "worker"])
        .env("ROOM_INTERVAL", "0")
}

/// Wires the hooks into the private HOME, as a user would. Codex skips hooks that nobody
/// approved; Claude Code, headless, asks nobody.
pub fn install_hooks(stage: &Stage) -> Result<()> {
    install_hooks_of(stage, stage.cli)
}

/// The same for either CLI.
pub fn install_hooks_of(stage: &Stage, cli: Cli) -> Result<()> {
    let mut arguments = vec!["install", cli.name(), "--user"];
    if cli == Cli::Codex {
        arguments.push("--trust");
    }
    stage.room.ok(&arguments, None).map(drop)
}

/// The number of main requests, with what was contributed if it is another.
pub fn request_count(requests: &Requests, expected: usize) -> Result<()> {
    ensure!(
        requests.len() == expected,
        "{expected} model requests expected, there were {}; hooks said: {:#?}",
        requests.len(),
        requests.hook_texts()
    );
    Ok(())
}

/// `word` was shown once in the whole conversation, and first in request `index`
/// (from 0).
pub fn shown_once(requests: &Requests, word: &str, index: usize) -> Result<()> {
    let first = requests.first_with(word);
    ensure!(
        first == Some(index),
        "{word} is first in request {first:?}, not {index}; hooks said: {:#?}",
        requests.hook_texts()
    );
    let shown = requests.shown(word);
    ensure!(
        shown == 1,
        "{word} was shown {shown} times: {:#?}",
        requests.hook_texts()
    );
    Ok(())
}

/// `word` stands in no hook's text of any of these requests.
pub fn never_shown(requests: &Requests, word: &str, whose: &str) -> Result<()> {
    let first = requests.first_with(word);
    ensure!(
        first.is_none(),
        "{word} reached {whose} in request {first:?}"
    );
    Ok(())
}

/// The message stands framed: its head names handle, author and kind, and every line
/// of its body is quoted.
pub fn framed(record: &Record, message: &Message, author: &str) -> Result<()> {
    let head = format!("[{} from {author}, a person, ", message.handle);
    let texts = record.hook_texts();
    let text = texts.iter().find(|text| text.contains(&head));
    let text = text.with_context(|| format!("no head `{head}…` in {texts:#?}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.contains(&head));
    let body = &lines[at.map_or(0, |at| at + 1)..];
    for (line, expected) in body.iter().zip(message.body.lines()) {
        ensure!(
            *line == format!("> {expected}"),
            "the body's line `{expected}` is shown as `{line}`"
        );
    }
    ensure!(
        body.len() >= message.body.lines().count(),
        "the body is cut: {text}"
    );
    Ok(())
}

/// Every hook's text is within the bound.
pub fn bounded(requests: &Requests) -> Result<()> {
    for text in requests.hook_texts() {
        let limit = CONTEXT_LIMIT + LABEL_ALLOWANCE;
        ensure!(text.len() <= limit, "a context of {} bytes", text.len());
    }
    Ok(())
}

/// The message's only delivery, made `how`.
pub fn delivered(stage: &Stage, handle: &str, how: &str) -> Result<Delivery> {
    let message = stage.room.message(ROOM, handle)?;
    let mut deliveries = message.deliveries;
    ensure!(
        deliveries.len() == 1 && deliveries[0].how == how,
        "{handle} should be delivered once, {how}: {deliveries:?}, status {}",
        message.status
    );
    deliveries.pop().context("no delivery")
}

/// The same, and proven to have reached the model.
pub fn delivered_and_confirmed(stage: &Stage, handle: &str, how: &str) -> Result<()> {
    let delivery = delivered(stage, handle, how)?;
    ensure!(
        delivery.confirmed,
        "{handle} is not confirmed: {delivery:?}"
    );
    Ok(())
}

/// Nobody took the message.
pub fn undelivered(room: &Room, handle: &str) -> Result<()> {
    let message = room.message(ROOM, handle)?;
    ensure!(
        message.deliveries.is_empty(),
        "{handle} counts as delivered: {:?}",
        message.deliveries
    );
    Ok(())
}

/// The words in `text` of which `wanted` is true, in order.
pub fn words(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let separators = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let words = text.split(separators).filter(|word| wanted(word));
    words.map(str::to_owned).collect()
}

/// Which of the two ways a CLI has to be cut off right after a hook printed.
pub fn cut_off_arguments(cli: Cli) -> &'static [&'static str] {
    match cli {
        Cli::Claude => &["--max-turns", "1"],
        // Codex has no limit on turns: there the model refuses the next request.
        Cli::Codex => &[],
    }
}

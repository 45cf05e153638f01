//! `room demo`: the main job, at work.

mod agent;
mod stage;

use room_protocol::{Message, RunId};
use serde::Serialize;

use self::agent::Agent;
use self::stage::Stage;
use crate::failure::{Failure, REFUSED};
use crate::output::{Out, Paint};

/// Show the main job at work, with a private daemon
///
/// A stand-in agent calls the real hooks as Claude Code does, and a person posts. Leaves nothing behind.
/// Exit code 1 when anything is not as it should be.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Where it all happens.
const ROOM: &str = "demo";
/// What the person says while the agent works.
const FIRST: &str = "please use tabs,\nand keep the tests green";
/// What the person says when the agent is about to finish.
const SECOND: &str = "one more thing: update the changelog";

pub(super) fn run(_: &Args, out: &mut Out) -> Result<(), Failure> {
    let stage = Stage::set()?;
    let mut tell = Teller { out };
    let told = story(&stage, &mut tell);
    let cleared = stage.clear();
    match told.and(cleared) {
        Ok(()) => tell.say(Who::Demo, "all as it should be; nothing is left behind"),
        Err(Failure::Closed) => Err(Failure::Closed),
        Err(failure) => {
            tell.out.flush()?;
            crate::note(&format!(
                "the demonstration failed: {}",
                failure.text().unwrap_or("it ended early")
            ));
            Err(Failure::Status(REFUSED))
        }
    }
}

/// Who does what is told.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Who {
    Demo,
    Person,
    Agent,
    Hook,
}

/// With `--json` a line.
#[derive(Serialize)]
struct Told<'a> {
    who: Who,
    text: &'a str,
}

/// Says what happens, as it happens.
struct Teller<'a> {
    out: &'a mut Out,
}

impl Teller<'_> {
    fn say(&mut self, who: Who, text: &str) -> Result<(), Failure> {
        if self.out.json() {
            self.out.object(&Told { who, text })?;
            return self.out.flush();
        }
        let (paint, name) = match who {
            Who::Demo => (Paint::Faint, "        "),
            Who::Person => (Paint::Waiting, "person  "),
            Who::Agent => (Paint::Name, "agent   "),
            Who::Hook => (Paint::Good, "  hook |"),
        };
        let name = self.out.paint(paint, name);
        for line in text.lines() {
            let line = room_protocol::frame::visible(line);
            self.out.line(format!("{name} {line}"))?;
        }
        self.out.flush()
    }
}

/// That something is as it should be.
fn expect(true_: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failure> {
    if true_ {
        Ok(())
    } else {
        Err(Failure::Refused(otherwise()))
    }
}

fn story(stage: &Stage, tell: &mut Teller<'_>) -> Result<(), Failure> {
    tell.say(Who::Demo, &stage.description()?)?;
    let run: RunId = stage.open_run(ROOM)?;
    tell.say(
        Who::Demo,
        &format!("run {run} is opened in room {ROOM}, as room run does"),
    )?;
    let mut agent = Agent::new(stage, &run)?;
    agent.begin()?;
    tell.say(Who::Agent, "session starts, gets its task, calls a tool")?;
    let nothing = agent.tool("cargo build")?;
    expect(nothing.is_none(), || {
        format!("nothing was posted, and yet the hook said {nothing:?}")
    })?;
    tell.say(Who::Hook, "(silent: nothing is unread)")?;
    mid_run(stage, &mut agent, tell)?;
    last_look(stage, &mut agent, tell)?;
    agent.end()?;
    stage.end_run(&run)?;
    tell.say(Who::Agent, "session ends")?;
    tell.say(
        Who::Person,
        &format!(
            "$ room messages {ROOM}\n{}",
            stage.room(&["messages", ROOM])?
        ),
    )
}

/// Words that reach the agent while it works.
fn mid_run(stage: &Stage, agent: &mut Agent<'_>, tell: &mut Teller<'_>) -> Result<(), Failure> {
    let handle = post(stage, FIRST, tell)?;
    tell.say(Who::Agent, "calls its next tool")?;
    let context = agent.tool("cargo test")?.ok_or_else(|| {
        Failure::Refused(format!("{handle} did not come with the next tool call"))
    })?;
    tell.say(Who::Hook, &context)?;
    framed(&context, &handle, FIRST)?;
    status(stage, &handle, false, tell)?;
    let again = agent.tool("cargo fmt")?;
    expect(again.is_none(), || {
        format!("{handle} was shown already, and yet the hook said {again:?}")
    })?;
    tell.say(
        Who::Agent,
        "calls a tool of its next response: the model must have been sent the message",
    )?;
    status(stage, &handle, true, tell)
}

/// Words that come when the agent is about to finish.
fn last_look(stage: &Stage, agent: &mut Agent<'_>, tell: &mut Teller<'_>) -> Result<(), Failure> {
    let handle = post(stage, SECOND, tell)?;
    tell.say(Who::Agent, "calls no tool any more and wants to stop")?;
    let held = agent.stop()?.ok_or_else(|| {
        Failure::Refused(format!("the stop was let through with {handle} unread"))
    })?;
    tell.say(Who::Hook, &held)?;
    framed(&held, &handle, SECOND)?;
    tell.say(Who::Demo, "the stop is held: the agent works on")?;
    status(stage, &handle, false, tell)?;
    agent.tool("edit CHANGELOG.md")?;
    tell.say(Who::Agent, "works on, and wants to stop again")?;
    let free = agent.stop()?;
    expect(free.is_none(), || {
        format!("nothing new came, and yet the stop was held: {free:?}")
    })?;
    tell.say(Who::Hook, "(silent: the stop goes through)")?;
    status(stage, &handle, true, tell)
}

/// Posts as a person does, with this very program. The handle.
fn post(stage: &Stage, text: &str, tell: &mut Teller<'_>) -> Result<String, Failure> {
    let handle = stage.room(&["post", ROOM, text, "--as", "ana"])?;
    tell.say(
        Who::Person,
        &format!("$ room post {ROOM} {text:?}\n{handle}"),
    )?;
    Ok(handle)
}

/// That a context shows these words in their frame.
fn framed(context: &str, handle: &str, words: &str) -> Result<(), Failure> {
    let head = format!("[{handle} from ana, a person");
    let quoted: Vec<_> = words.lines().map(|line| format!("> {line}")).collect();
    let shown = context.contains(&head) && context.contains(&quoted.join("\n"));
    expect(shown, || {
        format!("{handle} does not stand whole and framed in:\n{context}")
    })
}

fn status(
    stage: &Stage,
    handle: &str,
    confirmed: bool,
    tell: &mut Teller<'_>,
) -> Result<(), Failure> {
    let json = stage.room(&["show", handle, "--json"])?;
    let message: Message = serde_json::from_str(&json)
        .map_err(|e| Failure::Refused(format!("room show {handle} --json: {e}")))?;
    let is = message.deliveries.first().map(|d| d.confirmed);
    expect(is == Some(confirmed), || {
        format!("{handle} should be taken, confirmed {confirmed}, and is:\n{json}")
    })?;
    let how = message.deliveries[0].how.as_str();
    let word = if confirmed {
        "confirmed"
    } else {
        "not confirmed yet"
    };
    tell.say(
        Who::Person,
        &format!("sees that {handle} is {}: {how}, {word}", message.status),
    )
}

//! `room post ROOM [TEXT | -]`

mod readers;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::time::Duration;

use room_client::Error;

use room_protocol::message::Post;
use room_protocol::{AuthorName, Handle, Message, RoomName, RunId, frame, limits};

use crate::ctx::{self, Ctx};
use crate::daemon::{self, Operator};
use crate::failure::{Context, Failure};
use crate::inside::{Inside, Posted};
use crate::whom;

/// How long a run's question for another's name may take.
const LOOK_WITHIN: Duration = Duration::from_secs(1);

/// Post a message to a room
///
/// Runs at work there are shown it at their next tool call. Inside a run (RUN_ID is set) the run itself
/// posts.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,

    /// The words; standard input when it is '-', or when it is left out and no terminal
    text: Option<OsString>,

    /// The name to post under; without it ROOM_AS, else USER
    #[arg(long = "as", value_name = "NAME")]
    author: Option<AuthorName>,

    /// Only for this run: id or name of a live run of the room
    #[arg(long, value_name = "RUN")]
    to: Option<String>,

    /// The message that it answers, such as demo/12
    #[arg(long, value_name = "HANDLE")]
    reply: Option<Handle>,

    /// A message that it quotes; may be given several times
    #[arg(long = "quote", value_name = "HANDLE")]
    quotes: Vec<Handle>,

    /// Posting again with the same key posts nothing new, and answers the same
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

pub(super) fn run(args: Args, ctx: &mut Ctx) -> Result<(), Failure> {
    if let Some(key) = &args.key {
        check_key(key)?;
    }
    let body = body(args.text, &args.room)?;
    let key = args.key.unwrap_or_else(daemon::new_key);
    let mut post = Post {
        body,
        author: None,
        kind: None,
        to: None,
        reply_to: args.reply,
        quotes: args.quotes,
        key: Some(key),
    };
    if let Some(inside) = Inside::from_env(&ctx.layout)? {
        if args.author.is_some() {
            return Err(Failure::Usage(format!(
                "inside a run the run posts, as {}: leave --as out",
                inside.file().name
            )));
        }
        inside.expect_room(&args.room)?;
        only_of(&args.room, &post)?;
        let to = args.to.map(|to| known_to_a_run(&to, &args.room, ctx));
        post.to = to.transpose()?;
        return match inside.post(&post)? {
            Posted::Sent(message) => sent(&message, ctx),
            Posted::Kept(name, why) => kept(&name, &why, ctx),
        };
    }
    post.author = Some(match args.author {
        Some(name) => name,
        None => ctx::person()?,
    });
    let operator = Operator::connect(ctx)?;
    if let Some(to) = &args.to {
        post.to = Some(whom::find(to, Some(&args.room), &operator)?);
    }
    let path = format!("/v1/rooms/{}/messages", args.room);
    let message: Message = operator.post_with_key(&path, &post)?;
    sent(&message, ctx)?;
    if ctx.out.json() {
        return Ok(());
    }
    ctx.out.flush()?;
    if let Some(words) = readers::none_soon(&message, &operator) {
        crate::note(&words);
    }
    Ok(())
}

/// A run answers and quotes within its room. Known here, so that it is not found out when the post goes
/// out of the outbox and nobody listens any more.
fn only_of(room: &RoomName, post: &Post) -> Result<(), Failure> {
    match post
        .reply_to
        .iter()
        .chain(&post.quotes)
        .find(|h| h.room != *room)
    {
        Some(handle) => Err(Failure::Refused(format!(
            "{handle} is not in this run's room {room}; nothing was sent"
        ))),
        None => Ok(()),
    }
}

/// The run that a run means. What is no live run's name is left to the daemon as an id; so is all where
/// only the run lane leads there, as from a container, and nobody can be asked for names.
fn known_to_a_run(to: &str, room: &RoomName, ctx: &Ctx) -> Result<RunId, Failure> {
    let operator = Operator::new(&ctx.layout);
    let found = match operator.get_within(&whom::live(Some(room)), LOOK_WITHIN) {
        Ok(runs) => whom::among(&runs, to)?,
        Err(error @ Error::Problem(_)) => return Err(error.into()),
        Err(_) => None,
    };
    match found {
        Some(run) => Ok(run),
        None => to.parse().map_err(|_| whom::nobody(to, Some(room))),
    }
}

fn sent(message: &Message, ctx: &mut Ctx) -> Result<(), Failure> {
    ctx.out.either(message, |m| m.handle.to_string())
}

fn kept(name: &str, why: &room_client::Error, ctx: &mut Ctx) -> Result<(), Failure> {
    if ctx.out.json() {
        return ctx.out.object(&serde_json::json!({ "kept": name }));
    }
    ctx.out.line(format!(
        "kept in this run's outbox; it goes out with the next tool call ({})",
        frame::visible(&why.to_string())
    ))
}

fn check_key(key: &str) -> Result<(), Failure> {
    if (1..=limits::KEY_BYTES).contains(&key.len()) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--key has {} bytes; 1 to {} can be sent",
        key.len(),
        limits::KEY_BYTES
    )))
}

/// The words, from the argument or from standard input.
fn body(text: Option<OsString>, room: &RoomName) -> Result<String, Failure> {
    let text = match text {
        Some(text) if text != "-" => text.into_encoded_bytes(),
        None if io::stdin().is_terminal() => {
            return Err(Failure::Usage(format!(
                "what is to be posted? room post {room} \"TEXT\", or pipe it in"
            )));
        }
        _ => from_stdin()?,
    };
    let nothing_sent = |why: String| Failure::Refused(format!("{why}; nothing was sent"));
    if text.len() > limits::BODY_BYTES {
        return Err(nothing_sent(format!(
            "a message has {} bytes at most, and this one has more",
            limits::BODY_BYTES
        )));
    }
    let text = String::from_utf8(text).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        nothing_sent(format!(
            "a message is UTF-8 text, and byte {} is not",
            at + 1
        ))
    })?;
    if text.is_empty() {
        return Err(nothing_sent("the message is empty".to_owned()));
    }
    Ok(text)
}

/// Standard input without its last line's end. Reads no more than shows that it is too long.
fn from_stdin() -> Result<Vec<u8>, Failure> {
    let bound = limits::BODY_BYTES as u64 + 3;
    let mut text = Vec::new();
    io::stdin()
        .lock()
        .take(bound)
        .read_to_end(&mut text)
        .or_refuse(|| "cannot read standard input".to_owned())?;
    if text.ends_with(b"\n") {
        text.pop();
        if text.ends_with(b"\r") {
            text.pop();
        }
    }
    Ok(text)
}

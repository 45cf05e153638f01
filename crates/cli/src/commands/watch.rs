//! `room watch ROOM`

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use room_client::{Error, Events};
use room_protocol::message::MessagePage;
use room_protocol::{Event, EventKind, Message, RoomName, RunId, Timestamp, frame};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use crate::ctx::Ctx;
use crate::daemon::{Operator, may_pass};
use crate::failure::{Context, Failure};
use crate::output::Paint;
use crate::view::{self, Names};

/// Messages fetched at once, when one is needed: a replay asks only once for each page.
const PAGE: usize = 100;
/// Messages kept at most.
const KEPT: usize = 1_000;
/// Between two tries to reach a daemon that has gone.
const PAUSE: Duration = Duration::from_millis(200);
/// A daemon that was gone for longer is not coming back by itself.
const GONE: Duration = Duration::from_secs(30);

/// Follow a room: a line for each message and each delivery
///
/// What was, then what happens. Ends with Ctrl-C. Consumes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,

    /// Only what happened after this event
    #[arg(long, value_name = "CURSOR", default_value_t = 0)]
    after: u64,

    /// Print what was, and end
    #[arg(long)]
    no_follow: bool,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    end_on_interrupt()?;
    let operator = Operator::connect(ctx)?;
    let mut teller = Teller {
        operator: &operator,
        room: &args.room,
        messages: HashMap::new(),
        names: Names::default(),
    };
    let mut cursor = args.after;
    loop {
        let from = cursor;
        for event in events(args, cursor, &operator)? {
            match event {
                Ok(event) => {
                    cursor = event.cursor;
                    teller.tell(&event, ctx)?;
                    ctx.out.flush()?;
                }
                Err(error) if may_pass(&error) => break,
                Err(error) => return Err(error.into()),
            }
        }
        // A stream that ends may have been cut short; one that brings nothing more was not.
        if args.no_follow && cursor == from {
            return Ok(());
        }
    }
}

/// Ctrl-C is how following ends: nothing has failed.
#[allow(clippy::exit)] // every line was flushed; there is nothing to unwind
fn end_on_interrupt() -> Result<(), Failure> {
    let what = || "cannot catch Ctrl-C".to_owned();
    let mut signals = Signals::new([SIGINT]).or_refuse(what)?;
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(move || {
            if signals.forever().next().is_some() {
                std::process::exit(0);
            }
        })
        .or_refuse(what)?;
    Ok(())
}

/// The stream of events after `cursor`. A daemon that has gone is given some time to come back.
fn events(args: &Args, cursor: u64, operator: &Operator) -> Result<Events, Error> {
    let end = if args.no_follow { "&follow=false" } else { "" };
    let path = format!("/v1/events?after={cursor}&room={}{end}", args.room);
    let until = Instant::now() + GONE;
    loop {
        match operator.events(&path) {
            Err(error) if may_pass(&error) && Instant::now() < until => sleep(PAUSE),
            other => return other,
        }
    }
}

/// Says what events tell.
struct Teller<'a> {
    operator: &'a Operator,
    room: &'a RoomName,
    messages: HashMap<u64, Message>,
    names: Names,
}

impl Teller<'_> {
    fn tell(&mut self, event: &Event, ctx: &mut Ctx) -> Result<(), Failure> {
        if ctx.out.json() {
            return ctx.out.object(event);
        }
        let at = ctx
            .out
            .paint(Paint::Faint, &view::time(event.at, Timestamp::now()));
        let what = match &event.message {
            Some(handle) => ctx.out.paint(Paint::Name, &handle.to_string()),
            None => "run".to_owned(),
        };
        let how = self.words(event)?;
        ctx.out.line(format!("{at} {what} {how}"))
    }

    fn words(&mut self, event: &Event) -> Result<String, Failure> {
        let run = match &event.run {
            Some(run) => self.name(run)?,
            None => "?".to_owned(),
        };
        Ok(match event.kind {
            EventKind::Posted => self.posted(event)?,
            EventKind::Taken => {
                let how = event.how.map_or("", |how| how.as_str());
                format!("taken by {run}, {how}")
            }
            EventKind::Confirmed => format!("confirmed by {run}"),
            EventKind::Returned => format!("returned: {run} ended before it was confirmed"),
            EventKind::Withdrawn => "withdrawn".to_owned(),
            EventKind::Failed => format!("failed: {run} ended without taking it"),
            EventKind::RunOpened => format!("{run} opened"),
            EventKind::RunEnded => match event.exit_code {
                Some(code) => format!("{run} ended, exit code {code}"),
                None => format!("{run} ended"),
            },
        })
    }

    fn posted(&mut self, event: &Event) -> Result<String, Failure> {
        let Some(number) = event.message.as_ref().map(|handle| handle.number) else {
            return Ok("posted".to_owned());
        };
        let Some(message) = self.message(number)? else {
            return Ok("posted".to_owned());
        };
        let (author, to) = (message.author.clone(), message.to.clone());
        let words = frame::preview(&message.body, view::PREVIEW_CHARS);
        let to = match &to {
            Some(run) => format!(" to {}", self.name(run)?),
            None => String::new(),
        };
        Ok(format!("from {}{to}: {words}", view::author(&author)))
    }

    fn message(&mut self, number: u64) -> Result<Option<&Message>, Failure> {
        if !self.messages.contains_key(&number) {
            if self.messages.len() > KEPT {
                self.messages.clear();
            }
            let path = format!(
                "/v1/rooms/{}/messages?after={}&limit={PAGE}",
                self.room,
                number - 1
            );
            let page: MessagePage = self.operator.get(&path)?;
            let numbered = page.messages.into_iter().map(|m| (m.number, m));
            self.messages.extend(numbered);
        }
        Ok(self.messages.get(&number))
    }

    fn name(&mut self, run: &RunId) -> Result<String, Failure> {
        self.names.learn(run, self.operator)?;
        Ok(self.names.get(run).to_owned())
    }
}

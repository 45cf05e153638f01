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
use crate::daemon::{Operator, may_pass, message_path};
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
/// Begins with the room's whole history, then goes on with what happens. Ends with Ctrl-C. Consumes
/// nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room
    room: RoomName,

    /// Only what happened after this event
    #[arg(
        long,
        value_name = "CURSOR",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    after: u64,

    /// Only what happens from now on
    #[arg(long, conflicts_with_all = ["after", "no_follow"])]
    new: bool,

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
    let mut tell = |event: &Event| {
        teller.tell(event, ctx)?;
        ctx.out.flush()
    };
    let mut stream = Stream {
        operator: &operator,
        room: &args.room,
        cursor: args.after,
    };
    if args.new {
        stream.rest(&mut |_| Ok(()))?;
    }
    if args.no_follow {
        return stream.rest(&mut tell);
    }
    loop {
        stream.once(true, &mut tell)?;
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

/// A room's events, from a cursor on that moves with them.
struct Stream<'a> {
    operator: &'a Operator,
    room: &'a RoomName,
    cursor: u64,
}

impl Stream<'_> {
    /// All events that there are by now.
    fn rest(&mut self, tell: &mut Tell<'_>) -> Result<(), Failure> {
        loop {
            let from = self.cursor;
            self.once(false, tell)?;
            // A stream that ends may have been cut short; one that brings nothing more was not.
            if self.cursor == from {
                return Ok(());
            }
        }
    }

    /// Events until the daemon ends the stream.
    fn once(&mut self, follow: bool, tell: &mut Tell<'_>) -> Result<(), Failure> {
        for event in self.open(follow)? {
            match event {
                Ok(event) => {
                    self.cursor = event.cursor;
                    tell(&event)?;
                }
                Err(error) if may_pass(&error) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// A daemon that has gone is given some time to come back.
    fn open(&self, follow: bool) -> Result<Events, Error> {
        let path = format!(
            "/v1/events?after={}&room={}&follow={follow}",
            self.cursor, self.room
        );
        let until = Instant::now() + GONE;
        loop {
            match self.operator.events(&path) {
                Err(error) if may_pass(&error) && Instant::now() < until => sleep(PAUSE),
                other => return other,
            }
        }
    }
}

/// What is done with an event.
type Tell<'a> = dyn FnMut(&Event) -> Result<(), Failure> + 'a;

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
            EventKind::Failed => self.failed(event, &run)?,
            EventKind::RunOpened => format!("{run} opened"),
            EventKind::RunEnded => match event.exit_code {
                Some(code) => format!("{run} ended, exit code {code}"),
                None => format!("{run} ended"),
            },
        })
    }

    /// What was meant for one run that has ended. It may have been shown to it and never proven.
    fn failed(&self, event: &Event, run: &str) -> Result<String, Failure> {
        let shown = match &event.message {
            Some(handle) => match self.operator.get::<Message>(&message_path(handle)) {
                Ok(message) => !message.deliveries.is_empty(),
                Err(Failure::Refused(_)) => false,
                Err(other) => return Err(other),
            },
            None => false,
        };
        Ok(if shown {
            format!("failed: {run} ended before it surely saw it")
        } else {
            format!("failed: {run} ended without taking it")
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

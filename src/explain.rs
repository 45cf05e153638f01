//! `--explain`: what a hook would do and why, step by step, with nothing changed: no stamp, no
//! lease, no marker, no note, no lock.
#![allow(clippy::print_stderr)]

use std::time::Duration;

use room_client::Note;
use room_protocol::frame::{self, Context, Purpose, preview};
use room_protocol::lane::Peek;
use room_protocol::layout::run_files::{GIT_MARKER, NOTE, ROOM_MARKER, STAMP};
use room_protocol::limits::{CONTEXT_BYTES, PAGE, PAYLOAD_BYTES, TURN_DEADLINE};
use room_protocol::runfile::GitPolicy;
use room_protocol::{RunId, Timestamp};

use crate::alarm::Deadline;
use crate::dialect::Moment;
use crate::git::{Answer, Question};
use crate::interval::Stamp;
use crate::job::Job;
use crate::marker::{Chain, Marker};
use crate::payload::Payload;
use crate::session::{self, Verdict};
use crate::start::{self, Hook};
use crate::stdin;

/// Explains a hook, with the event that standard input holds.
pub(crate) fn run(hook: Hook, cli: Option<&str>) {
    let payload = Payload::read(&stdin::read(PAYLOAD_BYTES));
    if let Err(end) = steps(hook, cli, payload) {
        say("so", format_args!("it does nothing: {end}"));
    }
}

fn say(step: &str, what: impl std::fmt::Display) {
    eprintln!("{step:>9}: {}", preview(&what.to_string(), 2_000));
}

fn steps(hook: Hook, cli: Option<&str>, payload: Payload) -> Result<(), String> {
    let run = std::env::var_os("RUN_ID").ok_or("RUN_ID is not set")?;
    let run: RunId = run
        .to_string_lossy()
        .parse()
        .map_err(|e| format!("RUN_ID: {e}"))?;
    say("run", &run);
    let is_object = payload.is_object;
    let clock = Deadline::unbounded(TURN_DEADLINE);
    let (layout, dir) = start::find(&run)?;
    let job = start::job((layout, dir.unlogged()), &run, cli, payload, clock)?;
    say(
        "room",
        format_args!("{}, as {}", job.run.room, job.run.name),
    );
    say("directory", job.dir.path().display());
    if !is_object {
        return Err("standard input has no event".to_owned());
    }
    say(
        "event",
        format_args!(
            "{}, session {}, read as {} writes it",
            job.payload.event.as_deref().unwrap_or("without a name"),
            job.payload.session.as_deref().unwrap_or("without a name"),
            job.dialect.name()
        ),
    );
    let seen = session::see(&job.dir, &job.run, job.dialect, &job.payload, &Job::var)?;
    let bound = session::bound(&job.dir);
    match seen.verdict(bound.as_ref()) {
        Verdict::Ours(now) if bound.as_ref() == Some(&now) => {
            say("session", "it is the one that takes the mail");
        }
        Verdict::Ours(_) => say("session", "it would take the mail from now on"),
        Verdict::Foreign(why) => return Err(why.to_owned()),
    }
    let stop = job.moment == Moment::Stop;
    let takes = match hook {
        Hook::Relay => job.moment.takes_context(),
        Hook::Gate => stop,
        Hook::Beat => false,
    };
    if job.payload.agent_id.is_some() || !takes {
        say("so", "it gives a sign of life and takes nothing");
        return Ok(());
    }
    interval(&job)?;
    if let Ok(Some(note)) = job.dir.read_json::<Note>(NOTE) {
        say(
            "note",
            format_args!(
                "{NOTE}: what was shown is acknowledged first, messages: {}",
                note.items.len()
            ),
        );
    }
    room(&job, stop)?;
    if stop {
        git(&job);
    }
    Ok(())
}

fn interval(job: &Job) -> Result<(), String> {
    let (interval, nonsense) = job.interval();
    if nonsense {
        say(
            "interval",
            "ROOM_INTERVAL is ignored: it is to be seconds, at most a day",
        );
    }
    if !job.moment.is_after_tool() {
        say("interval", "none: this event always asks");
        return Ok(());
    }
    let stamp = Stamp::read(&job.dir, STAMP);
    let wait = stamp.wait(Timestamp::now(), interval);
    say(
        "interval",
        format_args!(
            "{interval:?} between two questions; failed in a row: {}",
            stamp.failures
        ),
    );
    if wait > Duration::ZERO {
        return Err(format!("the next question is due in {wait:?}"));
    }
    Ok(())
}

fn room(job: &Job, stop: bool) -> Result<(), String> {
    say("daemon", job.socket.display());
    let peek: Peek = job
        .client()
        .get(&format!("/v1/run/messages?limit={PAGE}"))
        .map_err(|e| e.to_string())?;
    say("waiting", peek.waiting);
    let text = frame::context(&Context {
        room: &job.run.room,
        run: Some(&job.run.run),
        purpose: if stop { Purpose::Gate } else { Purpose::Relay },
        introduce: false,
        waiting: &peek.messages,
        waiting_total: peek.waiting,
        history: &[],
        history_total: 0,
        budget: CONTEXT_BYTES,
    });
    let Some(text) = text else {
        say("so", "no message is shown");
        return Ok(());
    };
    if stop {
        let chain = Chain::of(job.dialect, &job.payload);
        let marker = Marker::read(&job.dir, ROOM_MARKER, &chain);
        say("chain", marker.told(&chain));
        if !marker.may_hold_for_messages(&chain, peek.people > 0) {
            say("so", "the stop is let go: its chain was held often enough");
            return Ok(());
        }
    }
    say(
        "so",
        format_args!(
            "it shows {} of them, {} left to wait{}",
            text.shown.len(),
            text.more,
            if stop { "; the stop is held" } else { "" }
        ),
    );
    Ok(())
}

fn git(job: &Job) {
    if job.run.git == GitPolicy::Off {
        return say("git", "this run does not ask for it");
    }
    let chain = Chain::of(job.dialect, &job.payload);
    if !Marker::read(&job.dir, GIT_MARKER, &chain).may_hold_for_git() {
        return say("git", "this chain was held for it already");
    }
    match Question::ask(job.run.git, job.payload.cwd.as_deref()).map(Question::answer) {
        Some(Answer::Left(text)) => say("git", format_args!("the stop is held: {text}")),
        Some(Answer::Clean) => say("git", "nothing is left"),
        Some(Answer::NotAsked(why)) => say("git", format_args!("not asked: {why}")),
        None => say("git", "no thread could be started"),
    }
}

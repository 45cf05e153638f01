//! `stop-gate`: holds a stop while something is unread, or while work is uncommitted or unpushed.

use room_client::Lock;
use room_protocol::How;
use room_protocol::frame::{self, Context, Purpose, Rendered};
use room_protocol::lane::{Lease, Peek};
use room_protocol::layout::run_files::{GIT_MARKER, ROOM_MARKER, STAMP};
use room_protocol::limits::{CONTEXT_BYTES, LOCK_WAIT};

use crate::deliver::{self, Showing};
use crate::dialect::Moment;
use crate::git::{Answer, Question};
use crate::interval::Stamp;
use crate::job::Job;
use crate::marker::{Chain, Marker};
use crate::session::Seen;
use crate::{beat, outbox};

/// The `stop-gate` hook.
pub(crate) fn run(job: &Job, seen: &Seen) {
    if job.payload.agent_id.is_some() || job.moment != Moment::Stop {
        return beat::sign_of_life(job);
    }
    let chain = Chain::of(job.dialect, &job.payload);
    let git_marker = Marker::read(&job.dir, GIT_MARKER, &chain);
    let git = git_marker
        .may_hold_for_git()
        .then(|| Question::ask(job.run.git, job.payload.cwd.as_deref()))
        .flatten();
    let lock = lock(job);
    if lock.is_some() && !seen.takes(&job.dir) {
        return;
    }
    let room = if lock.is_some() {
        leased(job).map(Room::Leased)
    } else {
        peek(job).map(Room::Held)
    };
    let git = match git.map(Question::answer) {
        Some(Answer::Left(text)) if git_marker.count(&job.dir, GIT_MARKER, true) => Some(text),
        Some(Answer::NotAsked(why)) => {
            job.log(format_args!("the repository was not asked: {why}"));
            None
        }
        _ => None,
    };
    answer(job, &chain, room, git);
}

/// From this budget on something is always shown, see [`Context::budget`]; in bytes.
const LEAST_BUDGET: usize = 1_000;

/// What the room says.
enum Room {
    /// What waits, for this hook to show.
    Leased(Lease),
    /// What waits, while another hook has the lock: the gate decides on what is undelivered, leased or
    /// not. Without the lock nothing is shown, since whoever has it may show the same.
    Held(Peek),
}

fn peek(job: &Job) -> Option<Peek> {
    match job.client().get("/v1/run/messages?limit=1") {
        Ok(peek) => Some(peek),
        Err(e) => {
            job.log(format_args!("the room was not asked: {e}"));
            None
        }
    }
}

/// The run's lock.
fn lock(job: &Job) -> Option<Lock> {
    match job.dir.lock_wait(LOCK_WAIT) {
        Ok(Some(lock)) => Some(lock),
        Ok(None) => {
            job.log("another hook keeps the lock");
            None
        }
        Err(e) => {
            job.log(e);
            None
        }
    }
}

fn leased(job: &Job) -> Option<Lease> {
    outbox::hand_over(job);
    match deliver::settle(job).and_then(|()| deliver::lease(job)) {
        Ok(lease) => Some(lease),
        Err(e) => {
            job.log(format_args!("the room was not asked: {e}"));
            None
        }
    }
}

/// One answer for both concerns.
fn answer(job: &Job, chain: &Chain, room: Option<Room>, git: Option<String>) {
    let taken = git
        .as_ref()
        .map_or(0, |text| job.dialect.held_width(text) + 1);
    let budget = CONTEXT_BYTES.saturating_sub(taken);
    let (words, lease, held) = match room {
        Some(Room::Leased(room)) => (words(job, chain, &room, budget), room.lease, None),
        Some(Room::Held(peek)) => (None, None, held(job, chain, &peek)),
        None => (None, None, None),
    };
    if words.is_none() {
        deliver::give_back(job, lease.as_deref());
    }
    let words_text = words.as_ref().map(|words| words.text.as_str());
    let parts = [words_text, held.as_deref(), git.as_deref()];
    let text: Vec<&str> = parts.into_iter().flatten().collect();
    if text.is_empty() {
        return;
    }
    let answer = job.dialect.hold(job.event(), &text.join("\n"), &Job::var);
    let showing = words.map(|words| Showing::of(&words, lease, How::Gated));
    deliver::show(job, &answer, showing);
}

/// What holds a stop while another hook has the messages: that they wait.
fn held(job: &Job, chain: &Chain, peek: &Peek) -> Option<String> {
    let marker = Marker::read(&job.dir, ROOM_MARKER, chain);
    let person = peek.people > 0;
    let may = peek.waiting > 0 && marker.may_hold_for_messages(chain, person);
    let (messages, wait) = match peek.waiting {
        1 => ("message", "waits"),
        _ => ("messages", "wait"),
    };
    (may && marker.count(&job.dir, ROOM_MARKER, person)).then(|| {
        format!(
            "[Room {}: {} {messages} {wait}, and another hook of this run is about to show what \
             comes first. What is left comes with your next tool call, or when you finish.]",
            job.run.room, peek.waiting
        )
    })
}

/// Renders what waits within a budget as the CLI hands it on: where it escapes a held stop's text, that
/// takes more than the text itself.
fn render(job: &Job, lease: &Lease, budget: usize) -> Option<Rendered> {
    let mut room = budget;
    loop {
        let rendered = frame::context(&Context {
            room: &job.run.room,
            run: Some(&job.run.run),
            purpose: Purpose::Gate,
            introduce: lease.introduce,
            waiting: &lease.messages,
            waiting_total: lease.waiting,
            history: &[],
            history_total: 0,
            budget: room,
        })?;
        let width = job.dialect.held_width(&rendered.text);
        // Each turn is shorter than the one before. Down there anything fits, however it is escaped.
        if width <= budget || room <= LEAST_BUDGET {
            return Some(rendered);
        }
        room = (room * budget / width).max(LEAST_BUDGET);
    }
}

/// The messages that hold the stop, their hold counted; `None` when there are none, or when the
/// chain was held often enough.
fn words(job: &Job, chain: &Chain, lease: &Lease, budget: usize) -> Option<Rendered> {
    let rendered = render(job, lease, budget).filter(|rendered| !rendered.shown.is_empty())?;
    let marker = Marker::read(&job.dir, ROOM_MARKER, chain);
    // A person's words may wait behind agents' messages, which then have to be shown first.
    let person = lease.people > 0;
    if !marker.may_hold_for_messages(chain, person) {
        job.log("the stop is let go with messages unread: its chain was held often enough");
        return None;
    }
    Stamp::read(&job.dir, STAMP)
        .answered(rendered.more > 0)
        .write(&job.dir, STAMP);
    marker
        .count(&job.dir, ROOM_MARKER, person)
        .then_some(rendered)
}

//! `stop-gate`: holds a stop while something is unread, or while work is uncommitted or unpushed.

use room_client::{Error, Lock};
use room_protocol::frame::{self, Context, Purpose, Rendered};
use room_protocol::lane::{Lease, Peek, Waiting};
use room_protocol::layout::run_files::{GIT_MARKER, ROOM_MARKER, STAMP};
use room_protocol::limits::{CONTEXT_BYTES, LOCK_WAIT, PAGE};
use room_protocol::{AuthorKind, How, ProblemKind};

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
    let room = match leased(job, lock.is_some()) {
        Ok(lease) => Some(lease),
        Err(e) => {
            if e.problem() != Some(ProblemKind::LeaseHeld) {
                job.log(format_args!("the room was not asked: {e}"));
            }
            None
        }
    };
    let git = match git.map(Question::answer) {
        Some(Answer::Left(text)) if git_marker.count(&job.dir, GIT_MARKER, true) => Some(text),
        Some(Answer::NotAsked(why)) => {
            job.log(format_args!("the repository was not asked: {why}"));
            None
        }
        _ => None,
    };
    answer(job, &chain, room, git, lock.is_some());
}

/// The run's lock. Without it what waits is asked for all the same, and another hook's lease is
/// left to it.
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

fn leased(job: &Job, locked: bool) -> Result<Lease, Error> {
    outbox::hand_over(job);
    if locked {
        deliver::settle(job)?;
    }
    deliver::lease(job, locked)
}

/// One answer for both concerns.
fn answer(job: &Job, chain: &Chain, room: Option<Lease>, git: Option<String>, locked: bool) {
    let taken = git.as_ref().map_or(0, |text| text.len() + 1);
    let budget = CONTEXT_BYTES.saturating_sub(taken);
    let lease = room.as_ref().and_then(|room| room.lease.clone());
    let words = room.and_then(|room| words(job, chain, &room, budget, locked));
    if words.is_none() {
        deliver::give_back(job, lease.as_deref());
    }
    let words_text = words.as_ref().map(|words| words.text.as_str());
    let text: Vec<&str> = words_text.into_iter().chain(git.as_deref()).collect();
    if text.is_empty() {
        return;
    }
    let answer = job.dialect.hold(job.event(), &text.join("\n"), &Job::var);
    let showing = words.map(|words| Showing::of(&words, lease, How::Gated, locked));
    deliver::show(job, &answer, showing);
}

/// The messages that hold the stop, their hold counted; `None` when there are none, or when the
/// chain was held often enough.
fn words(job: &Job, chain: &Chain, lease: &Lease, budget: usize, locked: bool) -> Option<Rendered> {
    let rendered = frame::context(&Context {
        room: &job.run.room,
        run: Some(&job.run.run),
        purpose: Purpose::Gate,
        introduce: lease.introduce,
        waiting: &lease.messages,
        waiting_total: lease.waiting,
        history: &[],
        history_total: 0,
        budget,
    })
    .filter(|rendered| !rendered.shown.is_empty())?;
    let marker = Marker::read(&job.dir, ROOM_MARKER, chain);
    let person = person_waits(job, lease);
    if !marker.may_hold_for_messages(chain, person) {
        job.log("the stop is let go with messages unread: its chain was held often enough");
        return None;
    }
    if locked {
        Stamp::read(&job.dir, STAMP)
            .answered(rendered.more > 0)
            .write(&job.dir, STAMP);
    }
    marker
        .count(&job.dir, ROOM_MARKER, person)
        .then_some(rendered)
}

/// Whether a person's words are among what waits. They may wait behind agents' messages, which then
/// have to be shown first.
fn person_waits(job: &Job, lease: &Lease) -> bool {
    let person = |waiting: &[Waiting]| {
        waiting
            .iter()
            .any(|w| w.message.author.kind == AuthorKind::Person)
    };
    if person(&lease.messages) {
        return true;
    }
    lease.waiting > lease.messages.len() as u64
        && job
            .client()
            .get::<Peek>(&format!("/v1/run/messages?limit={PAGE}"))
            .is_ok_and(|peek| person(&peek.messages))
}

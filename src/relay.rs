//! `room-relay`: brings what waits into the agent's context.

use std::time::Duration;

use room_client::{Error, Lock};
use room_protocol::frame::{self, Context, Purpose};
use room_protocol::lane::Lease;
use room_protocol::layout::run_files;
use room_protocol::limits::{CONTEXT_BYTES, LOCK_WAIT};
use room_protocol::{How, Timestamp};

use crate::beat;
use crate::deliver::{self, Showing};
use crate::dialect::Moment;
use crate::interval::Stamp;
use crate::job::Job;
use crate::outbox;
use crate::session::Seen;

/// The `room-relay` hook.
pub(crate) fn run(job: &Job, seen: &Seen) {
    if job.payload.agent_id.is_some() || !job.moment.takes_context() {
        return beat::sign_of_life(job);
    }
    let Some(_lock) = lock(job) else { return };
    if !seen.takes(&job.dir) {
        return;
    }
    let Some(asking) = due(job) else { return };
    match question(job) {
        Ok(lease) => show(job, lease, asking),
        Err(e) => job.log(format_args!("no question was answered: {e}")),
    }
}

/// The run's lock. After a tool call whoever has it does this hook's work.
fn lock(job: &Job) -> Option<Lock> {
    let after_tool = job.moment.is_after_tool();
    let lock = if after_tool {
        job.dir.lock_try()
    } else {
        job.dir.lock_wait(LOCK_WAIT)
    };
    match lock {
        Ok(None) if !after_tool => job.log("another hook keeps the lock"),
        Ok(_) => {}
        Err(ref e) => job.log(e),
    }
    lock.ok().flatten()
}

/// The stamp to be completed with the answer, `None` when the interval is not over. What cannot be
/// stamped is not asked after tools: the bound would not hold.
fn due(job: &Job) -> Option<Stamp> {
    let (interval, nonsense) = job.interval();
    let now = Timestamp::now();
    let mut stamp = Stamp::read(&job.dir, run_files::STAMP);
    let after_tool = job.moment.is_after_tool();
    if after_tool && stamp.wait(now, interval) > Duration::ZERO {
        return None;
    }
    if nonsense && !stamp.warned {
        job.log("ROOM_INTERVAL is ignored: it is to be seconds, at most a day");
        stamp.warned = true;
    }
    if !after_tool {
        return Some(stamp);
    }
    let asking = stamp.asking(now);
    asking.write(&job.dir, run_files::STAMP).then_some(asking)
}

fn question(job: &Job) -> Result<Lease, Error> {
    outbox::hand_over(job);
    deliver::settle(job)?;
    deliver::lease(job)
}

fn show(job: &Job, lease: Lease, asking: Stamp) {
    let opening = matches!(job.moment, Moment::Start(_));
    let rendered = frame::context(&Context {
        room: &job.run.room,
        run: Some(&job.run.run),
        purpose: if opening {
            Purpose::Opening
        } else {
            Purpose::Relay
        },
        introduce: lease.introduce,
        waiting: &lease.messages,
        waiting_total: lease.waiting,
        history: &lease.history,
        history_total: lease.history_total,
        budget: CONTEXT_BYTES,
    });
    let more = rendered.as_ref().is_some_and(|text| text.more > 0);
    asking.answered(more).write(&job.dir, run_files::STAMP);
    let Some(rendered) = rendered else {
        return deliver::give_back(job, lease.lease.as_deref());
    };
    let how = if opening { How::Opened } else { How::Relayed };
    let showing = Showing::of(&rendered, lease.lease, how);
    let answer = job.dialect.context(job.event(), &rendered.text);
    deliver::show(job, &answer, Some(showing));
}

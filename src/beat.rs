//! `heartbeat`, and every event that is no more than a sign of life.

use std::time::Duration;

use room_protocol::Timestamp;
use room_protocol::layout::run_files;
use serde::de::IgnoredAny;

use crate::dialect::Moment;
use crate::interval::Stamp;
use crate::job::Job;
use crate::session::Seen;

/// The heartbeat's own stamp, in the run's directory.
const STAMP: &str = "beat";
/// How long a session's end waits for the lock.
const LOCK_WAIT: Duration = Duration::from_millis(200);

/// The `heartbeat` hook.
pub(crate) fn run(job: &Job, seen: &Seen) {
    let ours = match job.moment {
        Moment::End => ends(job, seen),
        Moment::Start(_) => binds(job, seen),
        _ => true,
    };
    if ours {
        sign_of_life(job);
    }
}

/// Tells the daemon that the run lives: often-repeated events at most once per interval, and not
/// when the relay asked just now, since its question says the same.
pub(crate) fn sign_of_life(job: &Job) {
    let rare = matches!(job.moment, Moment::Start(_) | Moment::End | Moment::Stop)
        || job.event().starts_with("Subagent");
    let stamp = if rare { None } else { due(job) };
    if !rare && stamp.is_none() {
        return;
    }
    match job
        .client()
        .post::<IgnoredAny>("/v1/run/heartbeat", &job.sign())
    {
        Ok(_) => {
            if let Some(stamp) = stamp {
                stamp.answered(false).write(&job.dir, STAMP);
            }
        }
        Err(e) => job.log(format_args!("the sign of life was not heard: {e}")),
    }
}

/// The stamp as it was written before the call, `None` when none is due.
fn due(job: &Job) -> Option<Stamp> {
    let (interval, _) = job.interval();
    let now = Timestamp::now();
    let own = Stamp::read(&job.dir, STAMP);
    let relay = Stamp::read(&job.dir, run_files::STAMP);
    let asked = Timestamp::from_unix_ms(relay.asked);
    // A subagent's event says more than that the run lives.
    let told = job.payload.agent_id.is_none()
        && relay.failures == 0
        && asked <= now
        && now.since(asked) < interval;
    if told || own.wait(now, interval) > Duration::ZERO {
        return None;
    }
    let stamp = own.asking(now);
    stamp.write(&job.dir, STAMP).then_some(stamp)
}

/// When another hook has the lock, it binds the same session.
fn binds(job: &Job, seen: &Seen) -> bool {
    match job.dir.lock_try() {
        Ok(Some(_lock)) => seen.takes(&job.dir),
        Ok(None) => true,
        Err(e) => {
            job.log(e);
            true
        }
    }
}

fn ends(job: &Job, seen: &Seen) -> bool {
    match job.dir.lock_wait(LOCK_WAIT) {
        Ok(Some(_lock)) => seen.ends(&job.dir),
        Ok(None) => {
            job.log("the session's end is not noted: another hook has the lock");
            true
        }
        Err(e) => {
            job.log(format_args!("the session's end is not noted: {e}"));
            true
        }
    }
}

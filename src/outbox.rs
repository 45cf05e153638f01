//! Hands over what the agent posted where its own commands cannot reach the daemon.

use room_client::outbox;

use crate::job::Job;

/// How much of the time that is left it may take.
const SHARE: f64 = 0.3;

/// In order, each once, before anything is asked: what the agent said comes before what it is told.
pub(crate) fn hand_over(job: &Job) {
    if outbox::is_empty(&job.dir) {
        return;
    }
    // What comes for the agent must not wait until a full outbox is empty; the next hook goes on.
    let least_left = job.deadline.left().mul_f64(1.0 - SHARE);
    let in_time = || job.deadline.left() > least_left;
    let (done, failure) = outbox::deliver_while(&job.dir, &job.client(), in_time);
    if done.refused > 0 {
        job.log(format_args!(
            "{} posts of the outbox were refused for good",
            done.refused
        ));
    }
    if let Some(failure) = failure {
        job.log(format_args!("the outbox waits: {failure}"));
    }
}

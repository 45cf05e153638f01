//! Hands over what the agent posted where its own commands cannot reach the daemon.

use room_client::outbox;

use crate::job::Job;

/// In order, each once, before anything is asked: what the agent said comes before what it is told.
pub(crate) fn hand_over(job: &Job) {
    if outbox::is_empty(&job.dir) {
        return;
    }
    let (done, failure) = outbox::deliver(&job.dir, &job.client());
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

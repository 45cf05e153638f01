//! From a lease to its acknowledgement. All of it happens under the run's lock.
//!
//! lease → note (what is about to be shown) → print → rename the note (it was shown) → acknowledge
//! → remove the note. Whatever kills a hook in between, the next one knows what was shown.

use room_client::{Error, Note};
use room_protocol::How;
use room_protocol::frame::Rendered;
use room_protocol::lane::{Acknowledged, Item, Lease, LeaseRequest};
use room_protocol::limits::CONTEXT_BYTES;

use crate::dialect::{Moment, Start};
use crate::fault::{self, Step};
use crate::job::Job;
use crate::{alarm, print};

const LEASES: &str = "/v1/run/leases";
const DELIVERIES: &str = "/v1/run/deliveries";

/// Settles what an earlier hook showed and did not come to acknowledge. After an error nothing may
/// be leased: what was shown would be shown again.
pub(crate) fn settle(job: &Job) -> Result<(), Error> {
    // Begun and not printed, as far as anybody knows.
    abandon(job);
    let Some(note) = Note::take(&job.dir) else {
        return Ok(());
    };
    match acknowledge(job, &note) {
        // What the daemon finds wrong with it now, it will find wrong with it for ever.
        Err(Error::Problem(problem)) if problem.status == 400 || problem.status == 413 => {
            job.log(format_args!("an earlier note is given up: {problem}"));
            clear(job);
            Ok(())
        }
        other => other,
    }
}

/// Leases what waits. This hook has the run's lock, so the holder of an older lease is dead.
pub(crate) fn lease(job: &Job) -> Result<Lease, Error> {
    let start = match job.moment {
        Moment::Start(start) => Some(start),
        _ => None,
    };
    let request = LeaseRequest {
        budget: CONTEXT_BYTES as u32,
        sign: job.sign(),
        takeover: true,
        opening: start == Some(Start::New),
        fresh: start == Some(Start::Emptied),
    };
    let lease = job.client().post(LEASES, &request)?;
    fault::after(Step::Lease);
    Ok(lease)
}

/// Gives a lease back unshown.
pub(crate) fn give_back(job: &Job, lease: Option<&str>) {
    let Some(lease) = lease else { return };
    // It goes into a path; the daemon's own ids are made of such characters.
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if !lease.bytes().all(plain) {
        return job.log("the daemon named a lease with characters that no lease has");
    }
    if let Err(e) = job.client().delete::<()>(&format!("{LEASES}/{lease}")) {
        job.log(format_args!("a lease could not be given back: {e}"));
    }
}

/// What an answer shows.
pub(crate) struct Showing {
    pub(crate) how: How,
    pub(crate) lease: Option<String>,
    pub(crate) items: Vec<Item>,
    pub(crate) introduced: bool,
}

impl Showing {
    /// Exactly what a text shows of a lease.
    pub(crate) fn of(rendered: &Rendered, lease: Option<String>, how: How) -> Self {
        let items = rendered.shown.iter().map(|shown| Item {
            id: shown.id.clone(),
            offset: shown.offset,
        });
        Self {
            how,
            lease,
            items: items.collect(),
            introduced: rendered.introduced,
        }
    }
}

/// Prints an answer and acknowledges what it shows; an answer that shows nothing of a lease is only
/// printed.
pub(crate) fn show(job: &Job, answer: &str, showing: Option<Showing>) {
    let Some(showing) = showing else {
        if let Err(refusal) = print::print(answer, job.deadline.left()) {
            job.log(format_args!("nothing was shown: {refusal}"));
        }
        return;
    };
    let note = Note {
        lease: showing.lease,
        how: showing.how,
        session: job.payload.session.clone(),
        printed: job.dialect.proof(job.moment, &job.payload),
        introduced: showing.introduced,
        items: showing.items,
    };
    if let Err(why) = print_noted(job, answer, &note) {
        job.log(format_args!("nothing was shown: {why}"));
        return give_back(job, note.lease.as_deref());
    }
    if let Err(e) = acknowledge(job, &note) {
        job.log(format_args!("shown and not acknowledged: {e}"));
    }
}

/// Prints between the two halves of the note.
fn print_noted(job: &Job, answer: &str, note: &Note) -> Result<(), String> {
    Note::begin(&job.dir, note).map_err(|e| e.to_string())?;
    fault::after(Step::Note);
    let printed = alarm::held_back(|| {
        print::print(answer, job.deadline.left())?;
        fault::after(Step::Print);
        if let Err(e) = Note::commit(&job.dir) {
            // It was shown all the same. The acknowledgement follows; only when that fails too, the
            // next hook shows it again.
            job.log(e);
        }
        fault::after(Step::Rename);
        Ok(())
    });
    if printed.is_err() {
        abandon(job);
    }
    printed
}

/// Acknowledges a note and removes it. It stays after an error, for the next hook.
fn acknowledge(job: &Job, note: &Note) -> Result<(), Error> {
    let answer: Acknowledged = job.client().post(DELIVERIES, &note.acknowledgement())?;
    fault::after(Step::Ack);
    if !answer.refused.is_empty() {
        job.log(format_args!(
            "{} messages were never this run's, says the daemon; they are dropped from the note",
            answer.refused.len()
        ));
    }
    clear(job);
    Ok(())
}

fn abandon(job: &Job) {
    if let Err(e) = Note::abandon(&job.dir) {
        job.log(format_args!(
            "the note that was begun cannot be removed: {e}"
        ));
    }
}

fn clear(job: &Job) {
    if let Err(e) = Note::clear(&job.dir) {
        job.log(format_args!("the settled note cannot be removed: {e}"));
    }
}

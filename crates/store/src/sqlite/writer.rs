//! The one thread that writes. It drains its queue into one transaction and answers when that is on
//! disk, so that whoever asks at the same time shares the flush.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::fault::{Fault, Outcome, tell};
use super::tx::Tx;
use crate::{Error, Result};

/// Calls in one transaction at most.
const BATCH: usize = 512;

/// A call that waits for the thread.
pub(super) type Call = Box<dyn Work>;

/// One call. It may be done several times, each time on a clean transaction; the last one counts.
pub(super) trait Work: Send {
    /// Does it. `Ok(false)`: refused, what it wrote is to be undone. `Err`: SQLite failed.
    fn work(&mut self, tx: &Tx<'_>) -> rusqlite::Result<bool>;
    /// Tells the caller what came of it; it is on disk.
    fn answer(self: Box<Self>);
    /// Tells the caller that nothing came of it.
    fn fail(self: Box<Self>, error: Error);
}

/// A call and where its answer goes.
pub(super) fn call<T, F>(work: F) -> (Call, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnMut(&Tx<'_>) -> Outcome<T> + Send + 'static,
{
    let (to, answer) = oneshot::channel();
    let done = None;
    (Box::new(Pending { work, done, to }), answer)
}

struct Pending<T, F> {
    work: F,
    done: Option<Result<T>>,
    to: oneshot::Sender<Result<T>>,
}

impl<T, F> Work for Pending<T, F>
where
    T: Send,
    F: FnMut(&Tx<'_>) -> Outcome<T> + Send,
{
    fn work(&mut self, tx: &Tx<'_>) -> rusqlite::Result<bool> {
        let (done, kept) = match (self.work)(tx) {
            Ok(answer) => (Ok(answer), true),
            Err(Fault::Refused(error)) => (Err(error), false),
            Err(Fault::Sql(error)) => return Err(error),
        };
        self.done = Some(done);
        Ok(kept)
    }

    fn answer(self: Box<Self>) {
        if let Some(done) = self.done {
            // A caller that went away does not want it; what it asked for is done all the same.
            let _ = self.to.send(done);
        }
    }

    fn fail(self: Box<Self>, error: Error) {
        let _ = self.to.send(Err(error));
    }
}

/// What the thread tells everybody after each commit.
#[derive(Debug)]
pub(super) struct Known {
    /// The last event's cursor.
    pub cursor: watch::Sender<u64>,
    /// The highest number that was reserved or written.
    pub number: AtomicU64,
}

/// Works until every sender of the queue is gone.
pub(super) fn run(
    conn: &Connection,
    path: PathBuf,
    queue: &mpsc::Receiver<Call>,
    known: &Arc<Known>,
) {
    while let Ok(first) = queue.recv() {
        let mut batch = vec![first];
        batch.extend(queue.try_iter().take(BATCH - 1));
        match transaction(conn, &mut batch, known) {
            Ok(()) => batch.into_iter().for_each(|call| call.answer()),
            // Whose fault it was is not known (a full disk may be one call's size): each by itself.
            Err(_) if batch.len() > 1 => {
                for call in batch {
                    alone(conn, &path, call, known);
                }
            }
            Err(error) => batch
                .into_iter()
                .for_each(|call| call.fail(tell(&error, &path))),
        }
    }
}

fn alone(conn: &Connection, path: &std::path::Path, call: Call, known: &Known) {
    let mut batch = [call];
    let done = transaction(conn, &mut batch, known);
    let [call] = batch;
    match done {
        Ok(()) => call.answer(),
        Err(error) => call.fail(tell(&error, path)),
    }
}

/// Does all calls in one transaction; a refused one undoes only its own. On an error nothing is done.
fn transaction(conn: &Connection, batch: &mut [Call], known: &Known) -> rusqlite::Result<()> {
    let step = |sql| conn.prepare_cached(sql)?.execute([]).map(drop);
    let tx = Tx::new(conn);
    let all = || -> rusqlite::Result<()> {
        step("BEGIN IMMEDIATE")?;
        for call in batch {
            step("SAVEPOINT call")?;
            let before = tx.marks();
            if !call.work(&tx)? {
                tx.reset(before);
                step("ROLLBACK TO call")?;
            }
            step("RELEASE call")?;
        }
        step("COMMIT")
    };
    let done = all();
    if done.is_err() {
        // After some failures SQLite has rolled back by itself.
        if !conn.is_autocommit() {
            step("ROLLBACK")?;
        }
        return done;
    }
    let marks = tx.marks();
    known.number.fetch_max(marks.number, Ordering::SeqCst);
    known.cursor.send_if_modified(|cursor| {
        let newer = marks.cursor > *cursor;
        *cursor = marks.cursor.max(*cursor);
        newer
    });
    Ok(())
}

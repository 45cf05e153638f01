//! The threads that read, each on its own connection, each call in one short transaction: what it
//! reads belongs together, and no checkpoint waits for long.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::fault::Outcome;
use crate::Result;

/// A question that waits for a thread.
pub(super) type Question = Box<dyn FnOnce(&Connection) + Send>;

/// A question and where its answer goes.
pub(super) fn question<T, F>(path: PathBuf, read: F) -> (Question, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
{
    let (to, answer) = oneshot::channel();
    let ask = move |conn: &Connection| {
        let whole = || -> Outcome<T> {
            let tx = conn.unchecked_transaction()?;
            let answer = read(&tx)?;
            tx.finish()?;
            Ok(answer)
        };
        // Whoever went away does not want it.
        let _ = to.send(whole().map_err(|fault| fault.told(&path)));
    };
    (Box::new(ask), answer)
}

/// Answers until every sender of the queue is gone.
pub(super) fn run(conn: &Connection, queue: &Arc<Mutex<mpsc::Receiver<Question>>>) {
    loop {
        let next = {
            // A receiver that was left by a panic is as good as before.
            let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.recv()
        };
        match next {
            Ok(ask) => ask(conn),
            Err(mpsc::RecvError) => return,
        }
    }
}

//! Starts the threads, hands them their work, and sees them end.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use rusqlite::Connection;
use tokio::sync::{Mutex as AsyncMutex, mpsc as done, oneshot, watch};

use super::fault::Outcome;
use super::readers::{self, Question};
use super::tx::Tx;
use super::writer::{self, Call, Known};
use super::{event, open, room};
use crate::{Error, Result};

/// The threads' queues.
#[derive(Debug)]
pub(super) struct Threads {
    path: PathBuf,
    known: Arc<Known>,
    queues: Mutex<Option<Queues>>,
    /// Ends when the last thread has.
    ended: AsyncMutex<done::Receiver<()>>,
}

#[derive(Debug, Clone)]
struct Queues {
    calls: mpsc::Sender<Call>,
    questions: mpsc::Sender<Question>,
}

/// How many read at once.
fn readers_wanted() -> usize {
    thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4))
}

impl Threads {
    pub fn start(path: &Path) -> Result<Self> {
        let conn = open::writer(path)?;
        let last =
            || -> Outcome<(u64, u64)> { Ok((event::last(&conn)?, room::last_number(&conn)?)) };
        let (cursor, number) = last().map_err(|fault| fault.told(path))?;
        let known = Arc::new(Known {
            cursor: watch::Sender::new(cursor),
            number: AtomicU64::new(number),
        });
        let (alive, ended) = done::channel(1);

        let (questions, asked) = mpsc::channel();
        let asked = Arc::new(Mutex::new(asked));
        let mut reading = Vec::new();
        for n in 0..readers_wanted() {
            let (conn, asked, alive) = (open::reader(path)?, Arc::clone(&asked), alive.clone());
            let read = move || {
                readers::run(&conn, &asked);
                drop((conn, alive));
            };
            reading.push(spawn(format!("store-read-{n}"), read)?);
        }

        let (calls, called) = mpsc::channel();
        let (file, seen) = (path.to_owned(), Arc::clone(&known));
        let write = move || {
            writer::run(&conn, file, &called, &seen);
            // The last connection to close folds the log into the file; one that only reads cannot.
            for thread in reading {
                let _ = thread.join();
            }
            drop((conn, alive));
        };
        spawn("store-write".to_owned(), write)?;

        Ok(Self {
            path: path.to_owned(),
            known,
            queues: Mutex::new(Some(Queues { calls, questions })),
            ended: AsyncMutex::new(ended),
        })
    }

    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Has the writer do it; answers when it is on disk.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Outcome<T> + Send + 'static,
    {
        let answer = self.enqueue(work)?;
        answer.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Has the writer do it some time soon; nobody waits for it.
    pub fn write_later<F>(&self, work: F)
    where
        F: FnMut(&Tx<'_>) -> Outcome<()> + Send + 'static,
    {
        // A store that is closed needs no tidying.
        let _ = self.enqueue(work);
    }

    fn enqueue<T, F>(&self, work: F) -> Result<oneshot::Receiver<Result<T>>>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Outcome<T> + Send + 'static,
    {
        let (call, answer) = writer::call(work);
        self.queues()?.calls.send(call).map_err(|_| self.gone())?;
        Ok(answer)
    }

    /// Has a reader answer it.
    pub async fn read<T, F>(&self, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        let (question, answer) = readers::question(self.path.clone(), read);
        let sent = self.queues()?.questions.send(question);
        sent.map_err(|_| self.gone())?;
        answer.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Takes no more work, and waits until what was taken is done and the file is closed.
    pub async fn close(&self) {
        drop(self.lock().take());
        let mut ended = self.ended.lock().await;
        while ended.recv().await.is_some() {}
    }

    fn queues(&self) -> Result<Queues> {
        self.lock().clone().ok_or_else(|| self.gone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Queues>> {
        // Nothing that can panic is done under the lock.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gone(&self) -> Error {
        Error::Internal(format!("the store {} is closed", self.path.display()))
    }
}

fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Result<thread::JoinHandle<()>> {
    let thread = thread::Builder::new().name(name).spawn(work);
    thread.map_err(|e| Error::ResourceExhausted(format!("cannot start a thread: {e}")))
}

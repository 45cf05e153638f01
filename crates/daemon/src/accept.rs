//! Takes connections in, as many as the bounds allow.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use room_protocol::ProblemKind;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use crate::connection;
use crate::extract::Peer;
use crate::log::log;
use crate::state::Daemon;

/// Connections that are being told that there are too many; beyond it they are just closed.
const FAREWELLS: usize = 64;
/// Pause when the system has no more descriptors or memory for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Which of the two sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Everything, for the daemon's own user.
    Operator,
    /// A run's calls, for whoever has its credential.
    Run,
}

/// The open connections of both lanes.
#[derive(Debug, Default)]
pub struct Open {
    count: AtomicUsize,
    farewells: AtomicUsize,
    closed: Notify,
    /// On the run lane, by process.
    processes: Mutex<HashMap<i32, usize>>,
}

impl Open {
    fn processes(&self) -> MutexGuard<'_, HashMap<i32, usize>> {
        // Nothing panics while the lock is held; if it did, the map would still be whole.
        self.processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when no connection is open.
    pub async fn none(&self) {
        loop {
            let closed = self.closed.notified();
            tokio::pin!(closed);
            // Registered before looking, so that no end is missed.
            closed.as_mut().enable();
            if self.count.load(Ordering::SeqCst) == 0 {
                return;
            }
            closed.await;
        }
    }
}

/// One open connection, as long as it lives.
struct Slot {
    daemon: Arc<Daemon>,
    open: Arc<Open>,
    process: Option<i32>,
}

impl Slot {
    /// Errors: why there is none.
    fn take(
        daemon: &Arc<Daemon>,
        open: &Arc<Open>,
        lane: Lane,
        peer: Peer,
    ) -> Result<Self, &'static str> {
        let limits = &daemon.limits;
        let most = match lane {
            Lane::Operator => limits.connections,
            Lane::Run => limits.connections.saturating_sub(limits.reserved),
        };
        let one_more = |count| (count < most).then_some(count + 1);
        open.count
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more)
            .map_err(|_| "too many connections; ask again in a moment")?;
        daemon.metrics.connections.fetch_add(1, Ordering::Relaxed);
        let mut slot = Self {
            daemon: Arc::clone(daemon),
            open: Arc::clone(open),
            process: None,
        };
        // 0: a process that the daemon cannot see.
        if let (Lane::Run, Some(process @ 1..)) = (lane, peer.pid) {
            slot.count(process)?;
        }
        Ok(slot)
    }

    /// Counts it as a process's, so that no process has all the run lane.
    fn count(&mut self, process: i32) -> Result<(), &'static str> {
        let mut processes = self.open.processes();
        let count = processes.entry(process).or_default();
        if *count >= self.daemon.limits.per_process {
            return Err("this process has too many connections; ask again in a moment");
        }
        *count += 1;
        drop(processes);
        self.process = Some(process);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(process) = self.process {
            let mut processes = self.open.processes();
            if let Entry::Occupied(mut count) = processes.entry(process) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        }
        self.daemon
            .metrics
            .connections
            .fetch_sub(1, Ordering::Relaxed);
        if self.open.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.open.closed.notify_waiters();
        }
    }
}

/// Takes connections in until the daemon ends; those that had connected by then are served too.
pub async fn accept(
    daemon: Arc<Daemon>,
    open: Arc<Open>,
    listener: UnixListener,
    lane: Lane,
    router: Router,
) {
    let take = |stream| admit(&daemon, &open, lane, &router, stream);
    loop {
        let accepted = tokio::select! {
            biased;
            () = daemon.shutdown.wait() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => take(stream),
            Err(e) if is_of_the_peer(&e) => {}
            Err(e) => {
                log!("cannot accept a connection: {e}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    while let Some(stream) = connected(&listener).await {
        take(stream);
    }
}

/// A connection that waits already, if there is one.
async fn connected(listener: &UnixListener) -> Option<UnixStream> {
    poll_fn(|cx| match listener.poll_accept(cx) {
        Poll::Ready(Ok((stream, _))) => Poll::Ready(Some(stream)),
        Poll::Ready(Err(_)) | Poll::Pending => Poll::Ready(None),
    })
    .await
}

fn is_of_the_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

fn admit(daemon: &Arc<Daemon>, open: &Arc<Open>, lane: Lane, router: &Router, stream: UnixStream) {
    let peer = match Peer::of(&stream) {
        Ok(peer) => peer,
        Err(e) => return log!("cannot tell who connects: {e}"),
    };
    let ours = daemon
        .limits
        .operator_uid
        .unwrap_or_else(|| rustix::process::geteuid().as_raw());
    if lane == Lane::Operator && peer.uid != ours {
        let process = peer.pid.unwrap_or(0);
        log!(
            "process {process} of user {} has no business on the operator lane",
            peer.uid
        );
        return refuse(
            daemon,
            open,
            stream,
            ProblemKind::Forbidden,
            "this socket is only for the user that the daemon runs as",
        );
    }
    let slot = match Slot::take(daemon, open, lane, peer) {
        Ok(slot) => slot,
        Err(why) => return refuse(daemon, open, stream, ProblemKind::TooMany, why),
    };
    let (daemon, router) = (Arc::clone(daemon), router.clone());
    tokio::spawn(async move {
        let _slot = slot;
        connection::serve(daemon, lane, router, peer, stream).await;
    });
}

fn refuse(
    daemon: &Daemon,
    open: &Arc<Open>,
    stream: UnixStream,
    kind: ProblemKind,
    detail: &'static str,
) {
    daemon
        .metrics
        .refused_connections
        .fetch_add(1, Ordering::Relaxed);
    if open.farewells.fetch_add(1, Ordering::SeqCst) >= FAREWELLS {
        open.farewells.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    let open = Arc::clone(open);
    tokio::spawn(async move {
        connection::turn_away(stream, kind, detail).await;
        open.farewells.fetch_sub(1, Ordering::SeqCst);
    });
}

//! From nothing to serving, and back.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use room_protocol::Timestamp;
use room_protocol::layout::Layout;
use room_store::{MemoryStore, SqliteStore, Store};
use tokio::task::JoinHandle;

use crate::accept::{Lane, Open, accept};
use crate::bodies::Bodies;
use crate::config::{Config, StoreChoice};
use crate::error::StartError;
use crate::leases::Leases;
use crate::lock::DaemonLock;
use crate::log::log;
use crate::metrics::Metrics;
use crate::registry::Registry;
use crate::shutdown::Shutdown;
use crate::sockets::{self, Place};
use crate::state::{Daemon, VERSION};
use crate::{home, housekeeping, router};

const OPERATOR_MODE: u32 = 0o600;
const LANE_MODE: u32 = 0o666;
/// Of the time to end, what is kept for closing the store.
const CLOSING: Duration = Duration::from_millis(1_000);

/// A daemon that serves its home.
pub struct Running {
    daemon: Arc<Daemon>,
    open: Arc<Open>,
    tasks: Vec<JoinHandle<()>>,
    places: [Place; 2],
    _lock: DaemonLock,
}

/// Serves a home until `shutdown`, or until it is told to end over the wire.
pub async fn run(config: Config, shutdown: impl Future<Output = ()>) -> Result<(), StartError> {
    start(config).await?.until(shutdown).await;
    Ok(())
}

/// Starts to serve a home. When this returns, both sockets take connections.
pub async fn start(config: Config) -> Result<Running, StartError> {
    let uid = rustix::process::geteuid().as_raw();
    let layout = Layout::new(config.home, uid);
    home::prepare(&layout, uid)?;
    let lock = DaemonLock::take(&layout, VERSION).await?;
    let all_runs = matches!(config.store, StoreChoice::Sqlite) || !layout.database().exists();
    let store: Arc<dyn Store> = match config.store {
        StoreChoice::Given(store) => store,
        StoreChoice::Memory => Arc::new(MemoryStore::new()),
        StoreChoice::Sqlite => {
            home::private_file(&layout.database(), uid)?;
            Arc::new(SqliteStore::open(&layout.database())?)
        }
    };
    let daemon = Arc::new(Daemon {
        layout,
        store,
        registry: Registry::default(),
        leases: Leases::default(),
        metrics: Metrics::default(),
        shutdown: Shutdown::default(),
        bodies: Bodies::new(config.limits.bodies),
        limits: config.limits,
        all_runs,
        started_at: Timestamp::now(),
        started: Instant::now(),
    });
    housekeeping::load(&daemon).await?;
    let (operator, operator_place) =
        sockets::bind(&daemon.layout.operator_socket(), OPERATOR_MODE)?;
    let (lane, lane_place) = sockets::bind(&daemon.layout.lane_socket(), LANE_MODE)?;
    say_where(&daemon.layout);
    let open = Arc::new(Open::default());
    let serve = |listener, lane, router| {
        tokio::spawn(accept(
            Arc::clone(&daemon),
            Arc::clone(&open),
            listener,
            lane,
            router,
        ))
    };
    let tasks = vec![
        serve(operator, Lane::Operator, router::operator(&daemon)),
        serve(lane, Lane::Run, router::lane(&daemon)),
        tokio::spawn(housekeeping::keep(Arc::clone(&daemon))),
    ];
    Ok(Running {
        daemon,
        open,
        tasks,
        places: [operator_place, lane_place],
        _lock: lock,
    })
}

fn say_where(layout: &Layout) {
    log!(
        "roomd {VERSION} (process {}) serves {}",
        std::process::id(),
        layout.home().display()
    );
    if layout.moved() {
        log!(
            "the home's path is too long for a socket (at most {} bytes): the sockets are in {}",
            room_protocol::layout::SOCKET_PATH_BYTES,
            layout.short_dir().display()
        );
    }
}

impl Running {
    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.daemon.layout
    }

    /// Serves until `shutdown`, or until it is told to end over the wire; then ends: takes no more
    /// connections, finishes requests, ends event streams and waits at once, closes the store, removes
    /// its sockets. What does not end by itself is cut off.
    pub async fn until(self, shutdown: impl Future<Output = ()>) {
        tokio::select! {
            () = shutdown => {}
            () = self.daemon.shutdown.wait() => {}
        }
        self.end().await;
    }

    async fn end(self) {
        let begun = tokio::time::Instant::now();
        let deadline = begun + self.daemon.limits.stop;
        log!("ending");
        self.daemon.shutdown.begin();
        let finish = async {
            for task in self.tasks {
                // It ends by itself, and none of them panics.
                let _ = task.await;
            }
            self.open.none().await;
        };
        if tokio::time::timeout_at(deadline - CLOSING, finish)
            .await
            .is_err()
        {
            log!("some connections did not end; they are cut off");
        }
        let close = async {
            housekeeping::flush(&self.daemon, true).await;
            self.daemon.store.close().await;
        };
        if tokio::time::timeout_at(deadline, close).await.is_err() {
            log!("the store did not close in time");
        }
        self.places.iter().for_each(Place::clear);
        log!("ended after {} ms", begun.elapsed().as_millis());
    }
}

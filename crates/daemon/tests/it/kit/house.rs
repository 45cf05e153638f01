//! A daemon in this process, on a home of its own.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use room_protocol::layout::Layout;
use room_protocol::operator::OpenedRun;
use room_protocol::{Message, Run};
use room_store::Store;
use roomd::{Config, Limits, StoreChoice};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Client, RunClient};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Memory,
    Sqlite,
}

pub struct House {
    dir: TempDir,
    pub layout: Layout,
    pub operator: Client,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl House {
    pub async fn open(backend: Backend) -> Self {
        let choice = match backend {
            Backend::Memory => StoreChoice::Memory,
            Backend::Sqlite => StoreChoice::Sqlite,
        };
        Self::with(choice, Limits::default()).await
    }

    pub async fn on(store: Arc<dyn Store>) -> Self {
        Self::with(StoreChoice::Given(store), Limits::default()).await
    }

    pub async fn limited(limits: Limits) -> Self {
        Self::with(StoreChoice::Memory, limits).await
    }

    pub async fn with(store: StoreChoice, limits: Limits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self::serve(dir, store, limits).await
    }

    async fn serve(dir: TempDir, store: StoreChoice, limits: Limits) -> Self {
        let config = Config {
            home: dir.path().join("home"),
            store,
            limits,
        };
        let running = roomd::start(config).await.unwrap();
        let layout = running.layout().clone();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(running.until(async {
            // A house that is dropped stops too.
            let _ = stopped.await;
        }));
        Self {
            dir,
            operator: Client::new(&layout.operator_socket()),
            layout,
            stop: Some(stop),
            task: Some(task),
        }
    }

    /// Ends the daemon and waits until it has ended.
    pub async fn end(&mut self) {
        drop(self.stop.take());
        if let Some(task) = self.task.take() {
            task.await.unwrap();
        }
    }

    /// Ends the daemon and starts another on the same home, with the same or another store.
    pub async fn again(self, store: StoreChoice) -> Self {
        self.again_with(store, Limits::default()).await
    }

    pub async fn again_with(mut self, store: StoreChoice, limits: Limits) -> Self {
        self.end().await;
        Self::serve(self.dir, store, limits).await
    }

    pub fn lane(&self) -> Client {
        Client::new(&self.layout.lane_socket())
    }

    /// Opens a run in the room `demo`.
    pub async fn run(&self, cli: &str) -> RunClient {
        let opened: OpenedRun = self
            .operator
            .post("/v1/runs", &json!({"room": "demo", "cli": cli}))
            .await
            .is(201);
        RunClient::new(self, opened)
    }

    /// Posts to the room `demo` as ana.
    pub async fn post(&self, body: &str) -> Message {
        self.operator
            .post(
                "/v1/rooms/demo/messages",
                &json!({"body": body, "as": "ana"}),
            )
            .await
            .is(201)
    }

    pub async fn message(&self, number: u64) -> Message {
        let path = format!("/v1/rooms/demo/messages/{number}");
        self.operator.get(&path).await.is(200)
    }

    pub async fn run_of(&self, run: &RunClient) -> Run {
        let path = format!("/v1/runs/{}", run.id());
        self.operator.get(&path).await.is(200)
    }

    pub async fn end_run(&self, run: &RunClient) -> Run {
        let path = format!("/v1/runs/{}/end", run.id());
        self.operator.post(&path, &json!({})).await.is(200)
    }
}

/// Waits until something is so, at most ten seconds.
pub async fn until<F: Future<Output = bool>>(what: &str, mut so: impl FnMut() -> F) {
    let begun = Instant::now();
    while !so().await {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "not in time: {what}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

//! Keeps a run alive in the daemon's eyes while its process lives.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use room_client::Client;
use room_protocol::lane::{Heard, Sign};

/// Between two signs; a run without one for two minutes is stale.
const EVERY: Duration = Duration::from_secs(30);
/// How long one sign may take.
const WITHIN: Duration = Duration::from_secs(2);

/// Gives signs of life until it is dropped. A daemon that does not hear them disturbs nobody.
pub struct Signs {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Signs {
    /// Begins, with a first sign at once. Without a thread there are no signs, and nothing else is
    /// lost.
    pub fn begin(lane: &Client) -> Self {
        let client = lane.clone().deadline(WITHIN);
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new()
            .name("alive".to_owned())
            .spawn(move || {
                let sign = Sign {
                    event: "process".to_owned(),
                    ..Sign::default()
                };
                loop {
                    // The daemon may be away for a while; the next sign may find it again.
                    let _: Result<Heard, _> = client.post("/v1/run/heartbeat", &sign);
                    if stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            })
            .ok();
        Self {
            stop: Some(stop),
            thread,
        }
    }
}

impl Drop for Signs {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has nothing to add to how the command ended.
            let _ = thread.join();
        }
    }
}

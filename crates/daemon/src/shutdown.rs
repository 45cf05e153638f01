//! Tells everything that the daemon is ending.

use std::sync::Arc;

use tokio::sync::watch;

/// Set once, seen by all.
#[derive(Debug, Clone)]
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Default for Shutdown {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Shutdown {
    /// From now on the daemon is ending.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Whether the daemon is ending.
    pub fn begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the daemon is ending.
    pub async fn wait(&self) {
        let mut seen = self.0.subscribe();
        // The sender lives in `self`, so this cannot fail before it is true.
        let _ = seen.wait_for(|begun| *begun).await;
    }
}

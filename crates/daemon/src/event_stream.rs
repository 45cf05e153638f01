//! One client's stream of events. It reads the store by its own cursor, a page at a time and only
//! as fast as the client takes it; what the store announces only wakes it.

use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::Stream;
use futures_util::stream::unfold;
use room_protocol::{Event, RoomName};
use tokio::sync::watch;

use crate::log::log;
use crate::state::Daemon;

/// Events read at once.
const PAGE: usize = 200;
/// Milliseconds after which a client should ask again when the stream ends.
const RETRY: u32 = 1_000;

struct Reader {
    daemon: Arc<Daemon>,
    room: Option<RoomName>,
    cursor: u64,
    news: watch::Receiver<u64>,
    greeted: bool,
    follow: bool,
    _open: Open,
}

/// Counts a stream as long as it lives.
struct Open(Arc<Daemon>);

impl Open {
    fn count(daemon: &Arc<Daemon>) -> Self {
        daemon.metrics.streams.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(daemon))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.metrics.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The stream. It ends when the daemon does, or when the store fails; where nothing is to be
/// followed, after the last event that there is.
pub fn stream(
    daemon: Arc<Daemon>,
    after: u64,
    room: Option<RoomName>,
    follow: bool,
) -> impl Stream<Item = Result<String, Infallible>> + Send {
    let reader = Reader {
        news: daemon.store.watch_events(),
        _open: Open::count(&daemon),
        daemon,
        room,
        cursor: after,
        greeted: false,
        follow,
    };
    unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok(piece), reader))
    })
}

impl Reader {
    async fn next(&mut self) -> Option<String> {
        if !self.greeted {
            self.greeted = true;
            return Some(format!("retry: {RETRY}\n\n"));
        }
        let shutdown = self.daemon.shutdown.clone();
        loop {
            if shutdown.begun() {
                return None;
            }
            // Marked as seen before reading, so that what comes after the read wakes.
            self.news.borrow_and_update();
            let events = self
                .daemon
                .store
                .events(self.cursor, self.room.as_ref(), PAGE)
                .await;
            match events {
                Ok(events) if events.is_empty() && !self.follow => return None,
                Ok(events) if events.is_empty() => {}
                Ok(events) => return Some(self.text(&events)),
                Err(e) => {
                    log!("an event stream ends: {e}");
                    return None;
                }
            }
            tokio::select! {
                () = shutdown.wait() => return None,
                changed = self.news.changed() => changed.ok()?,
                // Also a look at the store, should another process write to it.
                () = tokio::time::sleep(self.daemon.limits.keep_alive) => {
                    return Some(": alive\n\n".to_owned());
                }
            }
        }
    }

    fn text(&mut self, events: &[Event]) -> String {
        let mut text = String::new();
        for event in events {
            self.cursor = self.cursor.max(event.cursor);
            let kind = event.kind.as_str();
            match serde_json::to_string(event) {
                // JSON has no line breaks outside of its escapes; writing to a string cannot fail.
                Ok(data) => {
                    let _ = write!(
                        text,
                        "id: {}\nevent: {kind}\ndata: {data}\n\n",
                        event.cursor
                    );
                }
                Err(e) => log!("event {} has no JSON form: {e}", event.cursor),
            }
        }
        text
    }
}

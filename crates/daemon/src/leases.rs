//! Leases, in memory: the exclusive right of one hook process to show a run's messages. One per
//! run; it ends by its acknowledgement, by being given back, by a takeover, by its run's end, or by
//! itself. Issuing is serialised per run by [`crate::registry::RunEntry::turn`].

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use room_protocol::limits::LEASE;
use room_protocol::{MessageId, RunId};
use tokio::sync::Notify;
use tokio::time::Instant;

/// All leases of a daemon.
#[derive(Debug, Default)]
pub struct Leases {
    inner: Mutex<Inner>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    held: HashMap<RunId, Held>,
    withdrawing: HashMap<MessageId, usize>,
    issued: u64,
}

#[derive(Debug)]
struct Held {
    lease: String,
    messages: HashSet<MessageId>,
    expires: Instant,
}

/// Marks a message as being withdrawn, as long as it lives: no new lease has it.
#[derive(Debug)]
pub struct Withdrawing<'a> {
    leases: &'a Leases,
    message: MessageId,
}

impl Leases {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while the lock is held; if it did, the maps would still be whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an unexpired lease of the run is held.
    pub fn is_held(&self, run: &RunId) -> bool {
        let now = Instant::now();
        self.lock().held.get(run).is_some_and(|h| h.expires > now)
    }

    /// Unexpired leases.
    pub fn count(&self) -> usize {
        let now = Instant::now();
        self.lock()
            .held
            .values()
            .filter(|h| h.expires > now)
            .count()
    }

    /// Leases issued since the daemon started.
    pub fn issued(&self) -> u64 {
        self.lock().issued
    }

    /// Of these messages, those that are not being withdrawn.
    pub fn showable(&self, message: &MessageId) -> bool {
        !self.lock().withdrawing.contains_key(message)
    }

    /// Issues a lease in place of whatever the run had.
    pub fn issue(&self, run: &RunId, lease: String, messages: HashSet<MessageId>) {
        let mut inner = self.lock();
        inner.issued += 1;
        let held = Held {
            lease,
            messages,
            expires: Instant::now() + LEASE,
        };
        let replaced = inner.held.insert(run.clone(), held).is_some();
        drop(inner);
        if replaced {
            self.ended.notify_waiters();
        }
    }

    /// Ends a run's lease if it is this one. Answers whether it was.
    pub fn end(&self, run: &RunId, lease: &str) -> bool {
        let mut inner = self.lock();
        let is_this = inner.held.get(run).is_some_and(|h| h.lease == lease);
        if is_this {
            inner.held.remove(run);
        }
        drop(inner);
        if is_this {
            self.ended.notify_waiters();
        }
        is_this
    }

    /// These messages need no more showing; a lease that has nothing else ends.
    pub fn settled(&self, run: &RunId, messages: &[MessageId]) {
        let mut inner = self.lock();
        let Some(held) = inner.held.get_mut(run) else {
            return;
        };
        for message in messages {
            held.messages.remove(message);
        }
        if held.messages.is_empty() {
            inner.held.remove(run);
        }
        drop(inner);
        self.ended.notify_waiters();
    }

    /// Ends whatever lease a run has.
    pub fn end_any(&self, run: &RunId) {
        let was = self.lock().held.remove(run).is_some();
        if was {
            self.ended.notify_waiters();
        }
    }

    /// Forgets expired leases.
    pub fn purge(&self) {
        let now = Instant::now();
        self.lock().held.retain(|_, held| held.expires > now);
    }

    /// Begins to withdraw a message: from now on no lease is issued that has it.
    pub fn withdrawing(&self, message: &MessageId) -> Withdrawing<'_> {
        *self.lock().withdrawing.entry(message.clone()).or_default() += 1;
        Withdrawing {
            leases: self,
            message: message.clone(),
        }
    }

    /// When the last unexpired lease that has a message ends by itself, if there is one.
    pub fn holds(&self, message: &MessageId) -> Option<Instant> {
        let now = Instant::now();
        self.lock()
            .held
            .values()
            .filter(|h| h.expires > now && h.messages.contains(message))
            .map(|h| h.expires)
            .max()
    }

    /// Returns when no lease has the message, at the latest when the last one ends by itself.
    pub async fn released(&self, message: &MessageId) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            // Registered before looking, so that no end is missed.
            ended.as_mut().enable();
            let Some(expires) = self.holds(message) else {
                return;
            };
            let _ = tokio::time::timeout_at(expires, ended).await;
        }
    }
}

impl Drop for Withdrawing<'_> {
    fn drop(&mut self) {
        let mut inner = self.leases.lock();
        if let Some(count) = inner.withdrawing.get_mut(&self.message) {
            *count -= 1;
            if *count == 0 {
                inner.withdrawing.remove(&self.message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        "demo-1".parse().unwrap()
    }

    fn message() -> MessageId {
        "01890000-0000-7000-8000-000000000001"
            .to_owned()
            .try_into()
            .unwrap()
    }

    fn issue(leases: &Leases, lease: &str) {
        leases.issue(&run(), lease.to_owned(), HashSet::from([message()]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_ends_by_itself() {
        let leases = Leases::default();
        issue(&leases, "a");
        assert!(leases.is_held(&run()));
        tokio::time::advance(LEASE).await;
        assert!(!leases.is_held(&run()));
        assert_eq!(leases.holds(&message()), None);
        leases.purge();
        assert_eq!((leases.count(), leases.issued()), (0, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn only_its_own_name_ends_a_lease() {
        let leases = Leases::default();
        issue(&leases, "a");
        issue(&leases, "b");
        assert!(!leases.end(&run(), "a"), "taken over");
        assert!(leases.is_held(&run()));
        assert!(leases.end(&run(), "b"));
        assert!(!leases.is_held(&run()));
    }

    #[tokio::test(start_paused = true)]
    async fn released_waits_for_the_end_and_not_beyond_the_expiry() {
        let leases = Leases::default();
        issue(&leases, "a");
        let before = Instant::now();
        leases.released(&message()).await;
        assert_eq!(before.elapsed().as_millis(), LEASE.as_millis());
        issue(&leases, "b");
        let before = Instant::now();
        let waited_for = message();
        tokio::join!(leases.released(&waited_for), async {
            tokio::time::sleep(LEASE / 5).await;
            leases.end(&run(), "b");
        });
        assert_eq!(before.elapsed().as_millis(), (LEASE / 5).as_millis());
    }

    #[tokio::test]
    async fn a_lease_of_which_everything_is_settled_has_ended() {
        let leases = Leases::default();
        issue(&leases, "a");
        leases.settled(&run(), &[]);
        assert!(leases.is_held(&run()));
        leases.settled(&run(), &[message()]);
        assert!(!leases.is_held(&run()));
    }

    #[tokio::test]
    async fn what_is_being_withdrawn_is_not_shown() {
        let leases = Leases::default();
        let first = leases.withdrawing(&message());
        let second = leases.withdrawing(&message());
        drop(first);
        assert!(!leases.showable(&message()));
        drop(second);
        assert!(leases.showable(&message()));
    }
}

//! What the asking thread and the hook share: the answer, and the git that has to end with them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Answer;

/// How long a question that is cut may take to reap what it started. Only a git that the kernel
/// itself keeps (a dead network disk) takes it all.
const GRACE: Duration = Duration::from_millis(100);

/// A channel would make the hook a hundredth larger.
#[derive(Default)]
pub(super) struct Leash {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    answer: Option<Answer>,
    answered: bool,
    cut: bool,
    /// The leader of the process group that runs, not reaped yet.
    group: Option<Pid>,
}

impl Leash {
    /// Takes hold of a process group. `false`: nobody wants it any more.
    pub(super) fn hold(&self, group: Pid) -> bool {
        let mut state = self.lock();
        state.group = Some(group);
        !state.cut
    }

    /// Ends the process group. Its leader may be reaped afterwards, not before: until then the
    /// number is nobody else's.
    pub(super) fn kill(&self) {
        if let Some(group) = self.lock().group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Whether nobody wants the answer any more.
    pub(super) fn is_cut(&self) -> bool {
        self.lock().cut
    }

    /// Hands the answer over; nothing that was started is left.
    pub(super) fn answer(&self, answer: Answer) {
        let mut state = self.lock();
        state.answer = Some(answer);
        state.answered = true;
        self.changed.notify_one();
    }

    /// Waits for the answer, and takes it.
    pub(super) fn wait(&self, until: Instant) -> Option<Answer> {
        self.answered(until).answer.take()
    }

    fn answered(&self, until: Instant) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !state.answered {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    /// Ends what runs and keeps anything else from starting.
    pub(super) fn cut(&self) {
        self.lock().cut = true;
        self.kill();
        drop(self.answered(Instant::now() + GRACE));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

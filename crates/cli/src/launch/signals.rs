//! The launcher's signals: it outlives them and passes them on.
//!
//! The child shares our process group, so what a terminal sends (`SIGINT`, `SIGQUIT`, `SIGWINCH`) reaches it
//! without us. What is sent to us alone is passed on.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::{Handle, Signals};

use crate::failure::{Context, Failure};

/// All that is passed on.
const PASSED_ON: [i32; 7] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH];
/// Of these the child has had those that a terminal sent.
const OF_TERMINALS: [i32; 3] = [SIGINT, SIGQUIT, SIGWINCH];

/// What the signals go to.
#[derive(Debug)]
enum Target {
    /// Nothing is started yet; the first signal that came.
    Nothing(Option<i32>),
    /// The child.
    Child(Pid),
}

/// Catches the launcher's signals until it is dropped.
pub struct Forwarding {
    target: Arc<Mutex<Target>>,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Forwarding {
    /// Begins to catch.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn begin() -> Result<Self, Failure> {
        let what = || "cannot catch signals".to_owned();
        let mut signals = Signals::new(PASSED_ON).or_refuse(what)?;
        let handle = signals.handle();
        let target = Arc::new(Mutex::new(Target::Nothing(None)));
        let shared = Arc::clone(&target);
        let thread = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    pass_on(signal, &shared);
                }
            })
            .or_refuse(what)?;
        Ok(Self {
            target,
            handle,
            thread: Some(thread),
        })
    }

    /// The signal that asked us to end before anything was started.
    pub fn early(&self) -> Option<i32> {
        match *self.target.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Nothing(signal) => signal,
            Target::Child(_) => None,
        }
    }

    /// From now on signals go to this process; what came before goes now.
    pub fn to(&self, child: Pid) {
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        if let Target::Nothing(Some(signal)) = *target {
            send(child, signal);
        }
        *target = Target::Child(child);
    }

    /// The child is about to be reaped: its id may soon be another's.
    pub fn to_nobody(&self) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Target::Nothing(None);
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            // A panic there has nothing to add to how the child ended.
            let _ = thread.join();
        }
    }
}

fn pass_on(signal: i32, target: &Mutex<Target>) {
    let mut target = target.lock().unwrap_or_else(PoisonError::into_inner);
    match *target {
        // Not a wish to end: there is nothing yet that it could mean something to.
        Target::Nothing(_) if signal == SIGWINCH => {}
        Target::Nothing(ref mut first) => {
            first.get_or_insert(signal);
        }
        // The terminal has sent it to the child already.
        Target::Child(_) if OF_TERMINALS.contains(&signal) && in_foreground() => {}
        Target::Child(child) => send(child, signal),
    }
}

fn send(child: Pid, signal: i32) {
    if let Some(signal) = Signal::from_named_raw(signal) {
        // It can only fail because the child is gone, which the launcher learns by waiting.
        let _ = kill_process(child, signal);
    }
}

/// Whether we are in the foreground of a terminal: what its keys send then comes to the child too.
pub fn in_foreground() -> bool {
    std::fs::File::open("/dev/tty")
        .ok()
        .and_then(|tty| tcgetpgrp(tty).ok())
        .is_some_and(|group| group == getpgrp())
}

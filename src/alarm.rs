//! The deadline from outside the work: an alarm whose handler leaves with status 0.
//!
//! A Unix connect to a wedged daemon, a slow disk and a stdin that never ends cannot be bounded from
//! inside. The kernel's timer bounds them all, for two system calls and no thread.
#![allow(unsafe_code)]

use std::time::{Duration, Instant};

extern "C" fn leave(_signal: libc::c_int) {
    quit()
}

/// Ends the process at once with status 0: nothing is flushed, no destructor runs.
pub(crate) fn quit() -> ! {
    // SAFETY: `_exit` may be called anywhere, in a signal handler too, and does not return.
    unsafe { libc::_exit(0) }
}

/// Sees to it that nothing but the alarm's status 0 ends a hook, and that nothing is said on stderr:
/// an allocation that fails says so there and aborts, a file size limit kills with its signal.
pub(crate) fn hush() {
    let null = rustix::fs::open(
        "/dev/null",
        rustix::fs::OFlags::WRONLY,
        rustix::fs::Mode::empty(),
    );
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stderr(&null);
    }
    on(
        libc::SIGABRT,
        leave as extern "C" fn(libc::c_int) as libc::sighandler_t,
    );
    // Writing then fails with EFBIG, as on a full disk.
    on(libc::SIGXFSZ, libc::SIG_IGN);
}

fn on(signal: libc::c_int, action: libc::sighandler_t) {
    // SAFETY: the action is SIG_IGN or `leave`, which only calls `_exit`, is async-signal-safe and has
    // the type that a handler without SA_SIGINFO has. A zeroed `sigaction` is a valid one with an
    // empty mask.
    unsafe {
        let mut with: libc::sigaction = std::mem::zeroed();
        with.sa_sigaction = action;
        libc::sigaction(signal, &with, std::ptr::null_mut());
    }
}

/// How long this process may take, counted from its first line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    started: Instant,
    limit: Duration,
}

impl Deadline {
    /// Starts the clock and arms the alarm.
    pub(crate) fn start(limit: Duration) -> Self {
        let deadline = Self {
            started: Instant::now(),
            limit,
        };
        on(
            libc::SIGALRM,
            leave as extern "C" fn(libc::c_int) as libc::sighandler_t,
        );
        // A parent may have left the signal blocked, which a program inherits.
        mask(libc::SIG_UNBLOCK);
        deadline.arm();
        deadline
    }

    /// Starts the clock without an alarm, for somebody who looks.
    pub(crate) fn unbounded(limit: Duration) -> Self {
        Self {
            started: Instant::now(),
            limit,
        }
    }

    /// Gives the work another limit, counted from the start as before.
    pub(crate) fn set(&mut self, limit: Duration) {
        self.limit = limit;
        self.arm();
    }

    /// What is left.
    pub(crate) fn left(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    fn arm(&self) {
        // Zero would disarm the timer.
        let left = self.left().max(Duration::from_millis(1));
        let timer = libc::itimerval {
            it_interval: libc::timeval {
                tv_sec: 0,
                tv_usec: 0,
            },
            it_value: libc::timeval {
                tv_sec: left.as_secs() as libc::time_t,
                tv_usec: left.subsec_micros() as libc::suseconds_t,
            },
        };
        // SAFETY: the pointer is to a live value of the right type; no old value is wanted.
        unsafe {
            libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut());
        }
    }
}

fn mask(how: libc::c_int) {
    // SAFETY: the set is initialised by `sigemptyset` before it is read.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGALRM);
        libc::pthread_sigmask(how, &set, std::ptr::null_mut());
    }
}

/// Holds the alarm back while `work` runs, which has to be short and bounded by itself. An alarm
/// that came meanwhile strikes right afterwards.
pub(crate) fn held_back<T>(work: impl FnOnce() -> T) -> T {
    mask(libc::SIG_BLOCK);
    let result = work();
    mask(libc::SIG_UNBLOCK);
    result
}

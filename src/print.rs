//! The answer on standard output: whole, or it counts as not given.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat, stat};
use rustix::io::Errno;

/// How long a reader that is slow, or a pipe smaller than the answer, is waited for.
const PATIENCE: Duration = Duration::from_millis(150);

/// Why nobody reads the answer.
pub(crate) type Refusal = String;

/// Whether anybody can be there to read. The standard library opens `/dev/null` in place of a
/// closed standard output, so that counts as closed.
pub(crate) fn can_be_read() -> Result<(), Refusal> {
    let output = rustix::stdio::stdout();
    let here = fstat(output).map_err(|e| e.to_string())?;
    let is_null = FileType::from_raw_mode(here.st_mode) == FileType::CharacterDevice
        && stat("/dev/null").is_ok_and(|null| null.st_rdev == here.st_rdev);
    if is_null {
        Err("standard output is closed, or /dev/null".to_owned())
    } else {
        Ok(())
    }
}

/// Writes the answer: one write where the reader's buffer takes it.
///
/// Never hangs: where it would, it waits no longer than `left`, and [`PATIENCE`]. An answer that was
/// written in part is broken JSON for its reader and counts as not given.
pub(crate) fn print(answer: &str, left: Duration) -> Result<(), Refusal> {
    can_be_read()?;
    let output = rustix::stdio::stdout();
    make_room(output, answer.len());
    let _flags = NonBlocking::set(output);
    let until = Instant::now() + PATIENCE.min(left);
    let mut rest = answer.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(output, rest) {
            Ok(0) => return Err("standard output takes nothing".to_owned()),
            Ok(written) => rest = &rest[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if writable(output, until) => {}
            Err(Errno::AGAIN) => return Err("nobody empties standard output".to_owned()),
            Err(e) => return Err(format!("standard output: {e}")),
        }
    }
    Ok(())
}

/// Lets a pipe that is smaller than the answer grow, so that one write takes it whole: users with many
/// pipes get small ones, of 4,096 bytes (pipe(7)). Where that is refused, the reader is waited for.
fn make_room(output: BorrowedFd<'_>, bytes: usize) {
    #[cfg(target_os = "linux")]
    if rustix::pipe::fcntl_getpipe_size(output).is_ok_and(|size| size < bytes) {
        let _ = rustix::pipe::fcntl_setpipe_size(output, bytes);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (output, bytes);
}

fn writable(output: BorrowedFd<'_>, until: Instant) -> bool {
    let left = until.saturating_duration_since(Instant::now());
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(left.subsec_nanos()),
    };
    let mut fds = [PollFd::from_borrowed_fd(output, PollFlags::OUT)];
    !left.is_zero() && poll(&mut fds, Some(&timeout)) != Ok(0)
}

/// Pipes and sockets are ours alone, a terminal is not: its flags are shared with whoever has it
/// open, and it is a person's, who reads.
struct NonBlocking<'f> {
    output: BorrowedFd<'f>,
    before: Option<OFlags>,
}

impl<'f> NonBlocking<'f> {
    fn set(output: BorrowedFd<'f>) -> Self {
        let ours = fstat(output).is_ok_and(|stat| {
            matches!(
                FileType::from_raw_mode(stat.st_mode),
                FileType::Fifo | FileType::Socket
            )
        });
        let before = ours
            .then(|| fcntl_getfl(output).ok())
            .flatten()
            .filter(|flags| !flags.contains(OFlags::NONBLOCK))
            .filter(|flags| fcntl_setfl(output, *flags | OFlags::NONBLOCK).is_ok());
        Self { output, before }
    }
}

impl Drop for NonBlocking<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            let _ = fcntl_setfl(self.output, before);
        }
    }
}

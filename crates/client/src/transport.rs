//! ureq over a Unix socket.
//!
//! ureq knows only TCP, and the standard library's `UnixStream::connect` has no deadline: it hangs
//! as long as a stopped daemon's backlog is full. Here every wait, connecting included, ends with
//! what is left of the call's own time.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketType, sockopt};
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

/// Touched for every answer; ureq's own 128 KiB each cost more time than the question.
const INPUT_BYTES: usize = 16 * 1024;
/// Touched for every request.
const OUTPUT_BYTES: usize = 4 * 1024;

/// There is one peer and no name to look up.
#[derive(Debug)]
pub(crate) struct NoNames;

impl Resolver for NoNames {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        Ok(self.empty())
    }
}

/// Connects to one socket, whatever the URI says.
#[derive(Debug)]
pub(crate) struct UnixConnector {
    pub socket: PathBuf,
}

impl Connector for UnixConnector {
    type Out = UnixTransport;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<UnixTransport>, Error> {
        let time = Time::of(details.timeout)?;
        let address = SocketAddrUnix::new(&self.socket).map_err(io::Error::from)?;
        let fd = socket().map_err(io::Error::from)?;
        loop {
            // The send timeout bounds a blocking connect as well: unix(7) and, for the waiting in
            // the backlog, unix_stream_connect in the kernel.
            let left = time.left()?;
            sockopt::set_socket_timeout(&fd, sockopt::Timeout::Send, left)
                .map_err(io::Error::from)?;
            match net::connect(&fd, &address) {
                Ok(()) => break,
                Err(rustix::io::Errno::INTR) => {}
                // Linux says so when the time is over and the backlog is still full.
                Err(rustix::io::Errno::AGAIN) => return Err(Error::Timeout(time.reason)),
                Err(other) => return Err(io::Error::from(other).into()),
            }
        }
        Ok(Some(UnixTransport {
            stream: UnixStream::from(fd),
            buffers: LazyBuffers::new(INPUT_BYTES, OUTPUT_BYTES),
            unsent: None,
        }))
    }
}

#[cfg(not(target_vendor = "apple"))]
fn socket() -> rustix::io::Result<OwnedFd> {
    net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        net::SocketFlags::CLOEXEC,
        None,
    )
}

#[cfg(target_vendor = "apple")]
fn socket() -> rustix::io::Result<OwnedFd> {
    let fd = net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&fd, rustix::io::FdFlags::CLOEXEC)?;
    Ok(fd)
}

/// When a step has to be done.
struct Time {
    until: Option<Instant>,
    reason: ureq::Timeout,
}

impl Time {
    fn of(timeout: NextTimeout) -> Result<Self, Error> {
        let until = if timeout.after.is_not_happening() {
            None
        } else {
            Instant::now().checked_add(*timeout.after)
        };
        let time = Self {
            until,
            reason: timeout.reason,
        };
        time.left().map(|_| time)
    }

    /// What is left; never zero, which would mean for ever.
    fn left(&self) -> Result<Option<Duration>, Error> {
        match self
            .until
            .map(|at| at.saturating_duration_since(Instant::now()))
        {
            // The kernel counts in microseconds and in ticks; anything below is over.
            Some(left) if left < Duration::from_micros(1) => Err(Error::Timeout(self.reason)),
            left => Ok(left),
        }
    }

    fn or_over(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Timeout(self.reason),
            _ => error.into(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct UnixTransport {
    stream: UnixStream,
    buffers: LazyBuffers,
    /// The peer closed while we still wrote. It may have answered before that (too many
    /// connections, too large), and its answer says more than our broken pipe.
    unsent: Option<io::Error>,
}

impl Transport for UnixTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if self.unsent.is_some() {
            return Ok(());
        }
        let time = Time::of(timeout)?;
        let mut rest = &self.buffers.output()[..amount];
        while !rest.is_empty() {
            self.stream.set_write_timeout(time.left()?)?;
            match self.stream.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(n) => rest = &rest[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
                    ) =>
                {
                    self.unsent = Some(e);
                    return Ok(());
                }
                Err(e) => return Err(time.or_over(e)),
            }
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let time = Time::of(timeout)?;
        loop {
            self.stream.set_read_timeout(time.left()?)?;
            let input = self.buffers.input_append_buf();
            if input.is_empty() {
                let full = io::Error::new(io::ErrorKind::InvalidData, "an endless header");
                return Err(full.into());
            }
            match self.stream.read(input) {
                Ok(0) => {
                    return match self.unsent.take() {
                        Some(error) => Err(error.into()),
                        None => Ok(false),
                    };
                }
                Ok(n) => {
                    self.buffers.input_appended(n);
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(time.or_over(e)),
            }
        }
    }

    fn is_open(&mut self) -> bool {
        // One call, one connection.
        false
    }
}

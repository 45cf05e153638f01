//! Who is at the other end of a connection.

use tokio::net::UnixStream;

/// The process at the other end, as the kernel told when it connected.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// Its user.
    pub uid: u32,
    /// Its process id, where the system tells.
    pub pid: Option<i32>,
}

impl Peer {
    /// Of a connection.
    pub fn of(stream: &UnixStream) -> std::io::Result<Self> {
        let cred = stream.peer_cred()?;
        Ok(Self {
            uid: cred.uid(),
            pid: cred.pid(),
        })
    }
}

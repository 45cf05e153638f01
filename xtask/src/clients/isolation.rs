//! A network namespace that has only loopback, for the whole suite at once.
//!
//! The CLIs under test must not reach a network: not for the sake of secrets (they
//! have none), but so that no answer, update or flag from outside decides a test.

use std::env;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, Result};

/// Set in the re-executed process.
const MARK: &str = "XTASK_CLIENTS_ISOLATED";

/// Whether this process was re-executed already.
pub fn inside() -> bool {
    env::var_os(MARK).is_some()
}

/// Why no namespace can be made here, if so. Tried out, loopback included.
pub fn obstacle() -> Option<String> {
    match unshare()
        .args(["sh", "-c", RAISE])
        .stdin(Stdio::null())
        .output()
    {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(format!("unshare: {error}")),
    }
}

/// Runs this program once more, inside a namespace, with these arguments.
pub fn reexecute(arguments: &[String]) -> Result<ExitStatus> {
    let status = unshare()
        .arg(env::current_exe()?)
        .args(arguments)
        .env(MARK, "1")
        .status();
    status.context("cannot start unshare")
}

/// Root needs no user namespace, and has fewer surprises without one.
fn unshare() -> Command {
    let root = rustix::process::geteuid().is_root();
    let mut command = Command::new("unshare");
    command.arg(if root { "-n" } else { "-rn" });
    command
}

/// Loopback is down in a new namespace. Either tool does.
const RAISE: &str = "ip link set lo up 2>/dev/null || ifconfig lo up";

/// Makes loopback work in the namespace that this process was started in.
pub fn raise_loopback() -> io::Result<()> {
    let status = Command::new("sh").args(["-c", RAISE]).status()?;
    if !status.success() {
        return Err(io::Error::other("neither ip nor ifconfig could raise it"));
    }
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    TcpStream::connect(listener.local_addr()?).map(drop)
}

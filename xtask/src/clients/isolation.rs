//! A network namespace that has only loopback, for the whole suite at once.
//!
//! The CLIs under test must not reach a network: not for the sake of secrets (they
//! have none), but so that no answer, update or flag from outside decides a test.

use std::env;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

/// Set in the re-executed process.
const MARK: &str = "XTASK_CLIENTS_ISOLATED";

/// How the suite is cut off from the network.
pub enum Isolation {
    /// Inside a namespace that has only loopback.
    Namespace,
    /// No namespace can be made here, for this reason: the CLIs run with their
    /// other traffic switched off.
    SwitchedOff(String),
}

/// Whether this process was re-executed already.
pub fn inside() -> bool {
    env::var_os(MARK).is_some()
}

/// Re-executes this very command inside a namespace, or says why it cannot.
/// Returns in the process that is to run the suite.
pub fn enter() -> Result<Isolation> {
    if inside() {
        return match raise_loopback() {
            Ok(()) => Ok(Isolation::Namespace),
            Err(error) => bail!("inside the namespace loopback does not work: {error}"),
        };
    }
    let flags = if rustix::process::geteuid().is_root() {
        "-n"
    } else {
        "-rn"
    };
    // Tried out first, loopback included: after the exec there is no way back.
    let probe = Command::new("unshare")
        .args([flags, "sh", "-c", RAISE])
        .stdin(Stdio::null())
        .output();
    match probe {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            return Ok(Isolation::SwitchedOff(said.trim().to_owned()));
        }
        Err(error) => return Ok(Isolation::SwitchedOff(format!("unshare: {error}"))),
    }
    let error = Command::new("unshare")
        .arg(flags)
        .arg(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env(MARK, "1")
        .exec();
    Err(error.into())
}

/// Loopback is down in a new namespace. Either tool does.
const RAISE: &str = "ip link set lo up 2>/dev/null || ifconfig lo up";

fn raise_loopback() -> io::Result<()> {
    let status = Command::new("sh").args(["-c", RAISE]).status()?;
    if !status.success() {
        return Err(io::Error::other("neither ip nor ifconfig could raise it"));
    }
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    TcpStream::connect(listener.local_addr()?).map(drop)
}

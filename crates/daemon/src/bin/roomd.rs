//! The daemon's binary.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use room_protocol::layout::Layout;
use roomd::{Config, StoreChoice};
use tokio::signal::unix::{SignalKind, signal};

/// agent-room's daemon: serves the rooms of one home over two Unix sockets, in the foreground,
/// until SIGTERM. `room` starts it where there is none.
#[derive(Parser)]
#[command(name = "roomd", version)]
struct Args {
    /// The home; else ROOM_HOME, else $XDG_STATE_HOME/agent-room, else ~/.local/state/agent-room
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Where to keep what is said: in the home's database, or in memory until the end
    #[arg(long, value_enum, default_value = "sqlite")]
    store: Kept,
    /// Stay in the foreground; it always does
    #[arg(long)]
    foreground: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kept {
    Sqlite,
    Memory,
}

fn main() -> ExitCode {
    match serve(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            #[allow(clippy::print_stderr, reason = "the binary's edge")]
            {
                eprintln!("roomd: {e:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn serve(args: Args) -> Result<()> {
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    raise_descriptor_limit();
    let mut config = Config::new(home(args.home)?);
    if let Kept::Memory = args.store {
        config.store = StoreChoice::Memory;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot make the runtime")?;
    let served = runtime.block_on(async {
        let told = told_to_end()?;
        // Once watched it is caught for good: a write beyond the limit of a file's size fails, as on a
        // full disk, instead of ending the daemon.
        let _too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))
            .context("cannot watch for signals")?;
        roomd::run(config, told).await.map_err(anyhow::Error::from)
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}

fn home(asked: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(home) = asked {
        return std::path::absolute(&home)
            .with_context(|| format!("{} is no usable path", home.display()));
    }
    let uid = rustix::process::geteuid().as_raw();
    Layout::from_env(|name| std::env::var_os(name), uid)
        .map(|layout| layout.home().to_owned())
        .context("where is the home? Set ROOM_HOME to an absolute path, or HOME, or pass --home")
}

/// Returns at SIGTERM, SIGINT or SIGHUP.
fn told_to_end() -> Result<impl Future<Output = ()>> {
    let watch = |kind| signal(kind).context("cannot watch for signals");
    let mut term = watch(SignalKind::terminate())?;
    let mut int = watch(SignalKind::interrupt())?;
    let mut hup = watch(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
            _ = hup.recv() => {}
        }
    })
}

/// As many descriptors as the system allows: each connection is one.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Without it there are fewer connections.
    let _ = setrlimit(Resource::Nofile, limit);
}

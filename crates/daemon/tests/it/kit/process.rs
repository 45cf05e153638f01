//! The real binary.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use room_protocol::layout::Layout;

use super::{Client, until};

pub struct Process {
    child: Child,
    watch: Watch,
    pub layout: Layout,
}

impl Process {
    /// Starts it on a home and waits until it answers.
    pub async fn serve(home: &Path) -> Self {
        let roomd = Command::new(env!("CARGO_BIN_EXE_roomd"));
        Self::start(roomd, home).answering().await
    }

    async fn answering(self) -> Self {
        let socket = self.layout.operator_socket();
        until("roomd serves", || async {
            tokio::net::UnixStream::connect(&socket).await.is_ok()
        })
        .await;
        assert_eq!(self.operator().get("/v1/health").await.status, 200);
        self
    }

    /// Starts it on a home, with a umask, and waits until it answers.
    pub async fn serve_with_umask(home: &Path, umask: &str) -> Self {
        let mut shell = Command::new("sh");
        let script = format!("umask {umask}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_roomd"));
        Self::start(shell, home).answering().await
    }

    /// Starts it on a home where no file may be larger than so many kilobytes, and waits until it
    /// answers.
    pub async fn serve_with_small_files(home: &Path, kilobytes: u32) -> Self {
        let mut shell = Command::new("sh");
        // In units of 512 bytes, says POSIX.
        let script = format!("ulimit -f {}; exec \"$0\" \"$@\"", kilobytes * 2);
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_roomd"));
        Self::start(shell, home).answering().await
    }

    fn start(mut command: Command, home: &Path) -> Self {
        let log = File::create(home.with_extension("log")).unwrap();
        let child = command
            .arg("--home")
            .arg(home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            watch: Watch::over(&child),
            child,
            layout: Layout::new(home, rustix::process::geteuid().as_raw()),
        }
    }

    pub fn operator(&self) -> Client {
        Client::new(&self.layout.operator_socket())
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for its end, at most ten seconds.
    pub async fn ended(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.watch.end();
                return status;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "roomd does not end"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn killed(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        assert_eq!(self.ended().await.signal(), Some(9));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.watch.end();
    }
}

/// Kills a daemon when the tests' own process dies, and so drops nothing.
struct Watch(Child);

impl Watch {
    fn over(child: &Child) -> Self {
        let watch = Command::new("sh")
            .args(["-c", "read _; kill -9 \"$0\""])
            .arg(child.id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(watch.unwrap())
    }

    /// The daemon is gone: nothing is left to watch over.
    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

//! A hook's peak memory: read from the kernel at the moment of its acknowledgement, when it has done
//! everything but end, by a stand-in between it and the daemon.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, bail};
use room_protocol::layout::Layout;

use super::house::House;

/// Peak resident memory of `program` relaying ten messages, in KiB (`VmHWM`, see proc(5)).
///
/// # Errors
/// The hook never acknowledged.
pub fn peak_kib(program: &Path, house: &House) -> anyhow::Result<u64> {
    let run = house.run("memory", 0)?;
    for n in 0..10 {
        house.post(
            &run.run.room,
            &format!("message {n}: {}", "words ".repeat(60)),
        )?;
    }
    // A second home whose run lane is ours: the same run directory, a relaying socket.
    let real = house.layout();
    let stand_in = tempfile::Builder::new().prefix("room-mem-").tempdir()?;
    let front = Layout::new(stand_in.path(), rustix::process::getuid().as_raw());
    fs::create_dir_all(front.lane_dir())?;
    fs::rename(real.run_dir(&run.run.id), {
        fs::create_dir_all(front.runs_dir())?;
        front.run_dir(&run.run.id)
    })?;
    let listener = UnixListener::bind(front.lane_socket())?;
    let (told, peaks) = mpsc::channel();
    let back = real.lane_socket();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            if let Ok(Some(peak)) = pass(client, &back) {
                let _ = told.send(peak);
            }
        }
    });
    let around = house.of(&run);
    let mut hook = Command::new(program)
        .env_clear()
        .env("RUN_ID", run.run.id.as_str())
        .env("ROOM_HOME", front.home())
        .stdin(fs::File::open(&around.payload)?)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut printed = String::new();
    hook.stdout
        .take()
        .context("the hook's output")?
        .read_to_string(&mut printed)?;
    hook.wait()?;
    if !printed.contains("message 9") {
        bail!("the hook did not show the ten messages: {printed}");
    }
    peaks
        .recv_timeout(Duration::from_secs(5))
        .context("the hook's acknowledgement was not seen")
}

/// Passes one exchange on. For an acknowledgement, answers the peak of the process that asks.
fn pass(mut client: UnixStream, back: &Path) -> anyhow::Result<Option<u64>> {
    let request = read_whole(&mut client)?;
    let peak = if request.starts_with(b"POST /v1/run/deliveries") {
        Some(high_water(&client)?)
    } else {
        None
    };
    let mut server = UnixStream::connect(back)?;
    server.write_all(&request)?;
    client.write_all(&read_whole(&mut server)?)?;
    Ok(peak)
}

/// One whole HTTP message with a content length, or what came before the end.
fn read_whole(from: &mut UnixStream) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0u8; 16 * 1024];
    while !complete(&bytes) {
        let n = from.read(&mut piece)?;
        if n == 0 {
            break;
        }
        bytes.extend_from_slice(&piece[..n]);
    }
    Ok(bytes)
}

/// Whether the header section and as much body as it announces have arrived.
fn complete(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    request.len() >= head + 4 + length.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}

fn high_water(client: &UnixStream) -> anyhow::Result<u64> {
    let peer = rustix::net::sockopt::socket_peercred(client)?;
    let status = fs::read_to_string(format!("/proc/{}/status", peer.pid.as_raw_nonzero()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .map(str::trim);
    kib.and_then(|n| n.parse().ok())
        .context("VmHWM in /proc/PID/status")
}

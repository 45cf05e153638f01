//! One daemon per home: a lock held for the daemon's whole life. The kernel frees it however the
//! daemon ends.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use room_protocol::layout::Layout;

use crate::error::StartError;

/// Who looks whether a daemon serves holds the lock, shared, for a moment: it is tried so often,
/// about 300 ms in all, before it counts as another daemon's.
const TRIES: u32 = 30;
const BETWEEN: Duration = Duration::from_millis(10);

/// Held as long as this home is served.
#[derive(Debug)]
pub struct DaemonLock {
    _file: File,
}

impl DaemonLock {
    /// Takes the lock and notes who holds it, as `PID VERSION` on one line.
    pub async fn take(layout: &Layout, version: &str) -> Result<Self, StartError> {
        let path = layout.daemon_lock();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(StartError::io("cannot open", &path))?;
        let mut tries = 1;
        loop {
            match fs2::FileExt::try_lock_exclusive(&file) {
                Ok(()) => break,
                Err(e) if e.kind() != fs2::lock_contended_error().kind() => {
                    return Err(StartError::io("cannot lock", &path)(e));
                }
                Err(_) if tries < TRIES => {
                    tries += 1;
                    tokio::time::sleep(BETWEEN).await;
                }
                Err(_) => {
                    return Err(StartError::Locked {
                        home: layout.home().to_owned(),
                        holder: holder(&mut file),
                    });
                }
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{} {version}", std::process::id()))
            .map_err(StartError::io("cannot write", &path))?;
        Ok(Self { _file: file })
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(200).read_to_string(&mut text) {
        Ok(_) => text.trim().chars().filter(|c| !c.is_control()).collect(),
        Err(_) => String::new(),
    }
}

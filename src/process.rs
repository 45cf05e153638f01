//! Which process runs this hook, and whether another one lives.

use std::fs::File;
use std::io::Read;

use rustix::process::{Pid, getppid, test_kill_process};
use serde::{Deserialize, Serialize};

/// A process, told apart from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Process {
    /// Its id.
    pub(crate) pid: u32,
    /// When it started, in the kernel's ticks since boot; 0 where the system does not tell.
    pub(crate) started: u64,
}

/// How far a chain of parents is followed.
const GENERATIONS: usize = 64;

/// Shells stand between a CLI and its hooks, or do not, as the shell and the CLI please.
const SHELLS: &[&str] = &[
    "sh", "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh",
    "tcsh", "yash", "zsh",
];

impl Process {
    /// The living process with an id.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        match stat(pid) {
            Some(stat) => stat.alive.then_some(Self {
                pid,
                started: stat.started,
            }),
            None if cfg!(target_os = "linux") => None,
            None => exists(pid).then_some(Self { pid, started: 0 }),
        }
    }

    /// The nearest process above this one that is no shell.
    pub(crate) fn above() -> Option<Self> {
        let mut pid = id(getppid()?);
        for _ in 0..GENERATIONS {
            let Some(stat) = stat(pid) else {
                return Self::of(pid);
            };
            if !SHELLS.contains(&stat.name.as_str()) {
                return Self::of(pid);
            }
            pid = stat.parent;
        }
        None
    }

    /// Whether it still lives.
    pub(crate) fn lives(self) -> bool {
        Self::of(self.pid).is_some_and(|now| now.started == self.started)
    }

    /// Whether `ancestor` is above it; `None` where the system does not tell.
    pub(crate) fn is_below(self, ancestor: u32) -> Option<bool> {
        let mut pid = self.pid;
        for _ in 0..GENERATIONS {
            let parent = match stat(pid) {
                Some(stat) => stat.parent,
                None if cfg!(target_os = "linux") => return Some(false),
                None => return None,
            };
            if parent == ancestor {
                return Some(true);
            }
            if parent <= 1 {
                break;
            }
            pid = parent;
        }
        Some(false)
    }
}

fn id(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

fn exists(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| match test_kill_process(pid) {
            Ok(()) | Err(rustix::io::Errno::PERM) => true,
            Err(_) => false,
        })
}

struct Stat {
    name: String,
    alive: bool,
    parent: u32,
    started: u64,
}

/// `/proc/PID/stat`, see proc_pid_stat(5). `None` where there is no such file.
fn stat(pid: u32) -> Option<Stat> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    // One line, well below this, which the kernel gives out whole.
    let mut line = [0; 1024];
    let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
    let length = file.read(&mut line).ok()?;
    parse(&line[..length])
}

fn parse(stat: &[u8]) -> Option<Stat> {
    let text = String::from_utf8_lossy(stat);
    // The name stands in parentheses and may hold any character, parentheses too.
    let (name, rest) = (text.find('(')?, text.rfind(')')?);
    let mut fields = text.get(rest + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 22; the state is field 3.
    let started = fields.nth(22 - 5)?.parse().ok()?;
    Some(Stat {
        name: text.get(name + 1..rest)?.to_owned(),
        alive: !matches!(state, "Z" | "X" | "x"),
        parent,
        started,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_line_is_read_whatever_the_name() {
        let line = b"12 (a) b (c) S 7 12 12 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 9 9\n";
        let stat = parse(line).unwrap();
        assert_eq!((stat.name.as_str(), stat.parent), ("a) b (c", 7));
        assert_eq!((stat.alive, stat.started), (true, 4711));
        assert!(
            !parse(&line.map(|b| if b == b'S' { b'Z' } else { b }))
                .unwrap()
                .alive
        );
        for bad in [&b""[..], b"12", b"12 (a)", b")(", b"12 (a) S x"] {
            assert!(parse(bad).is_none());
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_is_found_below_its_parents_and_dies() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let process = Process::of(child.id()).unwrap();
        assert!(process.lives());
        assert_eq!(process.is_below(std::process::id()), Some(true));
        assert_eq!(process.is_below(child.id()), Some(false));
        let other = Process {
            started: process.started + 1,
            ..process
        };
        assert!(!other.lives());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.lives());
    }
}

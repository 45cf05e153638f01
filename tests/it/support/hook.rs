use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::PATIENCE;

fn program(name: &str) -> &'static str {
    match name {
        "room-relay" => env!("CARGO_BIN_EXE_room-relay"),
        "stop-gate" => env!("CARGO_BIN_EXE_stop-gate"),
        "heartbeat" => env!("CARGO_BIN_EXE_heartbeat"),
        other => panic!("no hook {other}"),
    }
}

/// A hook about to be started, with an environment of its own.
pub struct Hook {
    command: Command,
    input: Vec<u8>,
    keep_stdin_open: bool,
}

impl Hook {
    /// Where the built hook lies.
    pub fn path(name: &str) -> &'static str {
        program(name)
    }

    pub fn new(name: &str) -> Self {
        let mut command = Command::new(program(name));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self {
            command,
            input: Vec::new(),
            keep_stdin_open: false,
        }
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn args(mut self, args: &[&str]) -> Self {
        self.command.args(args);
        self
    }

    pub fn on(mut self, payload: &Value) -> Self {
        self.input = serde_json::to_vec(payload).unwrap();
        self
    }

    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// The host never closes the hook's standard input.
    pub fn keep_stdin_open(mut self) -> Self {
        self.keep_stdin_open = true;
        self
    }

    pub fn stdin(mut self, from: impl Into<Stdio>) -> Self {
        self.command.stdin(from);
        self
    }

    pub fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.command.stdout(to);
        self
    }

    /// Starts it, its payload written by a thread, as a host does.
    pub fn start(mut self) -> Running {
        let started = Instant::now();
        let mut child = self.command.spawn().unwrap();
        let input = std::mem::take(&mut self.input);
        let stdin = child.stdin.take();
        let keep = self.keep_stdin_open;
        let writer = std::thread::spawn(move || {
            let mut stdin = stdin?;
            let taken = stdin.write_all(&input).is_ok();
            Some(Written {
                taken,
                _open: keep.then_some(stdin),
            })
        });
        Running {
            child,
            started,
            writer: Some(writer),
        }
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(self) -> Outcome {
        self.start().end()
    }

    /// Runs it to its end, which is to be status 0 and silence.
    #[track_caller]
    pub fn run_silent(self) -> Outcome {
        let outcome = self.run();
        assert_eq!(outcome.stdout, "", "it is to say nothing");
        outcome
    }

    /// Runs it to its end, which has an answer with a context.
    #[track_caller]
    pub fn context(self) -> String {
        self.run().context()
    }
}

/// What became of a payload, and its pipe where it is to stay open.
struct Written {
    taken: bool,
    _open: Option<ChildStdin>,
}

/// A hook at work.
pub struct Running {
    child: Child,
    started: Instant,
    writer: Option<JoinHandle<Option<Written>>>,
}

impl Running {
    /// Waits for its end: status 0 and an empty stderr.
    #[track_caller]
    pub fn end(self) -> Outcome {
        let outcome = self.end_anyhow();
        assert_eq!(outcome.stderr, "", "stderr is to be empty");
        assert!(outcome.status.success(), "{:?}", outcome.status);
        outcome
    }

    /// Waits for its end, whatever that is.
    #[track_caller]
    pub fn end_anyhow(mut self) -> Outcome {
        let stdout = self.child.stdout.take().map(reader);
        let stderr = self.child.stderr.take().map(reader);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.started.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("the hook never ended");
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let took = self.started.elapsed();
        let text = |reader: Option<JoinHandle<String>>| {
            reader.map_or_else(String::new, |r| r.join().unwrap())
        };
        Outcome {
            status,
            stdout: text(stdout),
            stderr: text(stderr),
            took,
            input_taken: self
                .writer
                .take()
                .and_then(|writer| writer.join().unwrap())
                .is_some_and(|written| written.taken),
        }
    }
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).unwrap();
        text
    })
}

/// How a hook ended.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// The host could write all of the payload.
    pub input_taken: bool,
}

impl Outcome {
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(!self.stdout.is_empty(), "it said nothing");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The context of an answer that has nothing else.
    #[track_caller]
    pub fn context(&self) -> String {
        let answer = self.json();
        let keys = |v: &Value| v.as_object().map(|o| o.len());
        let inner = &answer["hookSpecificOutput"];
        assert_eq!((keys(&answer), keys(inner)), (Some(1), Some(2)), "{answer}");
        let text = inner["additionalContext"].as_str().unwrap();
        assert!(text.len() <= 8_000, "{} bytes", text.len());
        text.to_owned()
    }

    /// The reason of an answer that blocks.
    #[track_caller]
    pub fn reason(&self) -> String {
        let answer = self.json();
        assert_eq!(answer["decision"], "block");
        assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
        answer["reason"].as_str().unwrap().to_owned()
    }

    pub fn was_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }
}

/// The handles' numbers of the messages that a text shows, in order.
pub fn shown(text: &str) -> Vec<u64> {
    text.lines()
        .filter_map(|line| line.strip_prefix("[demo/"))
        .filter_map(|line| line.split([' ', ',']).next()?.parse().ok())
        .collect()
}

/// `/dev/full` or another file to write to.
pub fn write_to(path: &str) -> Stdio {
    File::options().write(true).open(path).unwrap().into()
}

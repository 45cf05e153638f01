//! `room`: the person's, and the agent's, command line.
//!
//! One verb, one file in [`commands`]. A verb gets its arguments and a [`ctx::Ctx`], and answers
//! with nothing or a [`failure::Failure`], which knows what to say and the exit code.

pub mod autostart;
pub mod cli;
pub mod commands;
pub mod compose;
pub mod ctx;
pub mod daemon;
pub mod duration;
pub mod failure;
pub mod inside;
pub mod launch;
pub mod output;
pub mod taking;
pub mod view;
pub mod whom;
pub mod wiring;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::Cli;
use crate::failure::Failure;

/// The whole program.
pub fn main() -> ExitCode {
    no_death_by_file_size();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return say_usage(&error),
    };
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => {
            say(&failure);
            ExitCode::from(failure.code())
        }
    }
}

/// Under a file size limit a write fails, as on a full disk, and is told as that; without a handler the
/// kernel ends the process. What we start has its own default again.
fn no_death_by_file_size() {
    let unread = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    // It only fails for signals that nobody may catch.
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), unread);
}

/// What clap has to say: help and version on standard output, else a usage error.
fn say_usage(error: &clap::Error) -> ExitCode {
    // A command line without a verb asks what there is.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return ExitCode::from(failure::USAGE);
    }
    if !error.use_stderr() {
        // Whoever reads it may have left; there is nobody to tell.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    say(&Failure::Usage(text.trim_end().to_owned()));
    ExitCode::from(failure::USAGE)
}

/// Says on standard error why a verb failed. What is quoted in it acts on no terminal.
pub(crate) fn say(failure: &Failure) {
    if let Some(text) = failure.text() {
        note(text);
    }
}

/// Says something on standard error.
pub(crate) fn note(text: &str) {
    use std::io::Write;
    let lines: Vec<_> = text.lines().map(room_protocol::frame::visible).collect();
    // There is nowhere else to say it.
    let _ = writeln!(std::io::stderr(), "room: {}", lines.join("\n"));
}

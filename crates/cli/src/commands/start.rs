//! `room start ROOM`: a run for a launcher of one's own.

use room_protocol::{RoomName, Run};
use serde::Serialize;

use crate::ctx::Ctx;
use crate::daemon::Operator;
use crate::failure::Failure;
use crate::launch::RunOptions;

/// Open a run for a launcher of your own; prints what to eval
///
/// eval "$(room start demo)", start the agent, and when it has ended: room end.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The room; made when there is none
    room: RoomName,

    /// The agent CLI that you are going to start
    #[arg(long, value_name = "NAME", default_value = "other")]
    cli: String,

    #[command(flatten)]
    options: RunOptions,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let open = args.options.open(&args.room, &args.cli);
    let opened = Operator::connect(ctx)?.open_run(&open)?;
    let home = ctx.layout.home().to_str();
    let home = home.ok_or_else(|| Failure::Refused("ROOM_HOME is not UTF-8".to_owned()))?;
    if ctx.out.json() {
        let run = &opened.run;
        return ctx.out.object(&Started { run, home });
    }
    let id = opened.run.id.as_str();
    let home = shell_quoted(home);
    ctx.out.line(format!("export RUN_ID={id}"))?;
    ctx.out.line(format!("export ROOM_HOME={home}"))
}

/// What `--json` prints: the run, and the home that its launcher has to name.
#[derive(Serialize)]
struct Started<'a> {
    #[serde(flatten)]
    run: &'a Run,
    home: &'a str,
}

/// One word for a POSIX shell, whatever it holds.
fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in ["/plain/path", "a b", "it's", "$(x) `y` \\ \" \n é", ""] {
            let quoted = shell_quoted(word);
            let out = std::process::Command::new("/bin/sh")
                .args(["-c", &format!("printf %s {quoted}")])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), word);
        }
    }
}

//! `room start ROOM`: a run for a launcher of one's own.

use room_protocol::RoomName;

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
    if ctx.out.json() {
        return ctx.out.object(&opened.run);
    }
    let id = opened.run.id.as_str();
    let home = ctx.layout.home().as_os_str().as_encoded_bytes();
    let home = String::from_utf8(shell_quoted(home))
        .map_err(|_| Failure::Refused("ROOM_HOME is not UTF-8".to_owned()))?;
    ctx.out.line(format!("export RUN_ID={id}"))?;
    ctx.out.line(format!("export ROOM_HOME={home}"))
}

/// One word for a POSIX shell, whatever it holds.
fn shell_quoted(word: &[u8]) -> Vec<u8> {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+,:@%".contains(b);
    if !word.is_empty() && word.iter().all(plain) {
        return word.to_vec();
    }
    let mut out = vec![b'\''];
    for &b in word {
        match b {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(b),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in ["/plain/path", "a b", "it's", "$(x) `y` \\ \" \n é", ""] {
            let quoted = String::from_utf8(shell_quoted(word.as_bytes())).unwrap();
            let out = std::process::Command::new("/bin/sh")
                .args(["-c", &format!("printf %s {quoted}")])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), word);
        }
    }
}

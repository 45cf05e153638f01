//! `room uninstall claude|codex`

use super::install::{Cli, Target, places, records, say_claude, say_codex};
use crate::ctx::Ctx;
use crate::failure::{Context, Failure};
use crate::wiring::{claude_settings, codex_hooks};

/// Take the hooks out of an agent CLI's configuration
///
/// A file that was not edited since is restored to the byte.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let what = || "nothing was uninstalled".to_owned();
    let (places, records) = (places()?, records(ctx));
    let scope = args.target.scope()?;
    match args.target.cli {
        Cli::Claude => {
            let settings = places.claude_settings(scope);
            let report = claude_settings::uninstall(&settings, &records).or_refuse(what)?;
            say_claude(&report, ctx)
        }
        Cli::Codex => {
            let report = codex_hooks::uninstall(&places, scope, &records).or_refuse(what)?;
            say_codex(&report, ctx)
        }
    }
}

//! `room install claude|codex`

mod report;

use clap::ValueEnum;

pub(super) use self::report::{say_claude, say_codex};
use crate::ctx::Ctx;
use crate::failure::{Context, Failure};
use crate::launch::hooks;
use crate::wiring::binaries::Binaries;
use crate::wiring::claude_obstacles::switched_off;
use crate::wiring::claude_settings;
use crate::wiring::codex_hooks;
use crate::wiring::places::{Places, Scope};
use crate::wiring::plan::{AgentCli, Features};
use crate::wiring::record::Records;

/// Where backups and what else undoes an installation is kept, within the home.
const RECORDS: &str = "wiring";

/// Wire the hooks into an agent CLI's own configuration
///
/// Without it room run hands them over for each launch, and no file of yours is touched.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: Target,

    /// Codex: approve exactly these hooks in Codex's config.toml
    #[arg(long)]
    trust: bool,
}

/// Whose configuration.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// The agent CLI
    #[arg(value_enum)]
    pub cli: Cli,

    /// For you, in every directory (the default)
    #[arg(long, conflicts_with_all = ["project", "local"])]
    user: bool,

    /// For this directory only, in the file that is commonly shared
    #[arg(long, conflicts_with = "local")]
    project: bool,

    /// For you in this directory only (Claude Code's settings.local.json)
    #[arg(long)]
    local: bool,
}

/// The agent CLIs that can be wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cli {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

impl Target {
    /// Whose configuration.
    ///
    /// # Errors
    /// When the CLI has no such file.
    pub fn scope(&self) -> Result<Scope, Failure> {
        match (self.cli, self.project, self.local) {
            (Cli::Codex, _, true) => Err(Failure::Usage(
                "--local is for claude; Codex has no such file".to_owned(),
            )),
            (_, _, true) => Ok(Scope::Local),
            (_, true, _) => Ok(Scope::Project),
            _ => Ok(Scope::User),
        }
    }
}

pub(super) fn run(args: &Args, ctx: &mut Ctx) -> Result<(), Failure> {
    let what = || "nothing was installed".to_owned();
    let scope = args.target.scope()?;
    let (places, records) = (places()?, records(ctx));
    match args.target.cli {
        Cli::Claude => {
            if args.trust {
                return Err(Failure::Usage(
                    "--trust is for codex; Claude Code asks for no approval of hooks".to_owned(),
                ));
            }
            let binaries = binaries()?;
            let features = Features::of(AgentCli::Claude, hooks::version("claude".as_ref()));
            let settings = places.claude_settings(scope);
            let mut report = claude_settings::install(&settings, features, &binaries, &records)
                .or_refuse(what)?;
            report.switched_off = switched_off(&places);
            report::warn_claude(&report, ctx)?;
            say_claude(&report, ctx)?;
        }
        Cli::Codex => {
            let binaries = binaries()?;
            let report = codex_hooks::install(&places, scope, &binaries, &records, args.trust)
                .or_refuse(what)?;
            report::warn_codex(&report, ctx)?;
            say_codex(&report, ctx)?;
        }
    }
    report::say_next(args.target.cli, scope, ctx)
}

/// The hooks' programs, without which there is nothing to install.
fn binaries() -> Result<Binaries, Failure> {
    hooks::find().map_err(|failure| {
        let why = failure.text().unwrap_or_default();
        Failure::Refused(format!("nothing was installed: {why}"))
    })
}

/// The configuration directories of this environment and directory.
pub(super) fn places() -> Result<Places, Failure> {
    let project = std::env::current_dir().or_refuse(|| "there is no directory here".to_owned())?;
    Places::new(|name| std::env::var_os(name), &project)
        .ok_or_else(|| Failure::Refused("nothing says where your home is: set HOME".to_owned()))
}

pub(super) fn records(ctx: &Ctx) -> Records {
    Records::in_dir(ctx.layout.home().join(RECORDS))
}

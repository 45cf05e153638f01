//! `cargo xtask clients`: the real agent CLIs, headless, against a scripted model on
//! loopback. A case asserts on what the model was sent: that is what the agent saw.

mod agent;
mod cases;
mod hooks;
mod isolation;
mod model;
mod packages;
mod process;
mod rendezvous;
mod room;
mod runner;
mod stage;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};

use isolation::Isolation;
use packages::Cli;
use runner::Job;
use stage::Kit;

/// What to run.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Only the cases on this CLI.
    #[arg(long, value_enum)]
    cli: Option<Cli>,
    /// Only these cases, as --list names them, with or without the CLI.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    case: Vec<String>,
    /// Name the cases and run none.
    #[arg(long)]
    list: bool,
    /// Take the binaries as they were built last.
    #[arg(long)]
    no_build: bool,
}

/// Runs the chosen cases. Success only if all passed.
#[allow(clippy::print_stdout, reason = "the report is this command's output")]
pub fn run(args: &Args) -> Result<ExitCode> {
    let jobs = choose(args)?;
    if args.list {
        for job in jobs {
            println!("{:32} {}", job.name(), job.case.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !isolation::inside() && !args.no_build && jobs.iter().any(|job| job.case.product) {
        build()?;
    }
    let kit = kit()?;
    match isolation::enter()? {
        Isolation::Namespace => println!("{} cases, only loopback in reach", jobs.len()),
        Isolation::SwitchedOff(why) => println!(
            "{} cases; no network namespace here ({why}): the CLIs' other traffic is switched off",
            jobs.len()
        ),
    }
    let tally = runner::run_all(&kit, jobs);
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn choose(args: &Args) -> Result<Vec<Job>> {
    let on_clis = |case: &'static cases::Case| case.clis.iter().map(move |&cli| Job { case, cli });
    let mut jobs: Vec<Job> = cases::ALL.iter().flat_map(on_clis).collect();
    jobs.retain(|job| args.cli.is_none_or(|cli| cli == job.cli));
    if args.case.is_empty() {
        return Ok(jobs);
    }
    let named = |job: &Job, name: &String| *name == job.case.name || *name == job.name();
    for name in &args.case {
        if !jobs.iter().any(|job| named(job, name)) {
            bail!("no case {name}; --list names them");
        }
    }
    jobs.retain(|job| args.case.iter().any(|name| named(job, name)));
    Ok(jobs)
}

/// The workspace's root, from where this program was built.
fn workspace() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

/// Builds `room`, `roomd` and the hooks, in the profile that this program has.
fn build() -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace()).args(["build", "--bins"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "the binaries could not be built");
    Ok(())
}

fn kit() -> Result<Kit> {
    let own = env::current_exe()?;
    let binaries = own.parent().context("a program without a directory")?;
    let clients = target_directory(binaries).join("clients");
    std::fs::create_dir_all(&clients)?;
    Ok(Kit {
        claude: packages::install(Cli::Claude, &clients)?,
        codex: packages::install(Cli::Codex, &clients)?,
        binaries: binaries.to_path_buf(),
        clients,
        tools: tools()?,
    })
}

/// `target`, two levels above where the binaries of a named target lie.
fn target_directory(binaries: &Path) -> PathBuf {
    // Cargo tags the target directory, and each named target's below it.
    let tagged = |dir: &&Path| dir.join("CACHEDIR.TAG").is_file();
    let outermost = binaries.ancestors().filter(tagged).last();
    outermost.map_or_else(|| workspace().join("target"), Path::to_path_buf)
}

/// The directories of node and git, and the system's own.
fn tools() -> Result<Vec<PathBuf>> {
    let path = env::var_os("PATH").context("no PATH")?;
    let mut tools = Vec::new();
    for program in ["node", "git"] {
        let holds = |dir: &PathBuf| dir.join(program).is_file();
        let dir = env::split_paths(&path).find(holds);
        tools.push(dir.with_context(|| format!("{program} is not on the PATH"))?);
    }
    tools.extend(["/usr/bin", "/bin"].map(PathBuf::from));
    Ok(tools)
}

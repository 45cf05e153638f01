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
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use packages::Cli;
use runner::Job;
use stage::Kit;

use crate::steps;

/// What to run.
#[derive(clap::Args)]
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

impl Args {
    /// The command line that means the same.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["clients".to_owned()];
        words.extend(self.cli.map(|cli| format!("--cli={}", cli.name())));
        words.extend(self.case.iter().map(|name| format!("--case={name}")));
        words
    }
}

/// Runs the chosen cases, in a namespace of their own where one can be made. Success only
/// if all passed.
///
/// # Errors
/// The CLIs or the binaries are not to be had, or no case bears a name that was asked for.
pub fn run(args: &Args) -> Result<ExitCode> {
    let jobs = choose(args)?;
    if args.list {
        for job in jobs {
            print(&format!("{:32} {}", job.name(), job.case.about));
        }
        return Ok(ExitCode::SUCCESS);
    }
    if isolation::inside() {
        isolation::raise_loopback().context("no loopback in the namespace")?;
        print(&format!("cases: {}, only loopback in reach", jobs.len()));
        return play(jobs);
    }
    if !args.no_build && jobs.iter().any(|job| job.case.product) {
        build()?;
    }
    // Fetched here, since inside nothing can be.
    kit()?;
    if let Some(why) = isolation::obstacle() {
        print(&format!(
            "cases: {}; no network namespace here ({why}): the CLIs' other traffic is switched off",
            jobs.len()
        ));
        return play(jobs);
    }
    let status = isolation::reexecute(&args.words())?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn play(jobs: Vec<Job>) -> Result<ExitCode> {
    let mut kit = kit()?;
    // Two suites in one target directory would clear away each other's cases.
    let lock = File::create(kit.clients.join("lock"))?;
    lock.lock()?;
    if jobs.iter().any(|job| job.case.product) {
        kit.binaries = snapshot(&kit)?;
    }
    let tally = runner::run_all(&kit, jobs);
    print(&format!("{} passed, {} failed", tally.passed, tally.failed));
    Ok(if tally.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[allow(clippy::print_stdout, reason = "the report is this command's output")]
fn print(line: &str) {
    println!("{line}");
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

/// Builds `room`, `roomd` and the hooks, in the profile that this program has.
fn build() -> Result<()> {
    let mut command = steps::cargo(&["build", "--bins"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    steps::run(command)
}

fn kit() -> Result<Kit> {
    let own = env::current_exe()?;
    let binaries = own.parent().context("a program without a directory")?;
    let clients = target_directory(binaries).join("clients");
    fs::create_dir_all(&clients)?;
    Ok(Kit {
        claude: packages::install(Cli::Claude, &clients)?,
        codex: packages::install(Cli::Codex, &clients)?,
        binaries: binaries.to_path_buf(),
        clients,
        tools: tools()?,
    })
}

/// Copies of the binaries: a build during the suite must not change what is tested.
fn snapshot(kit: &Kit) -> Result<PathBuf> {
    let copies = kit.clients.join("bin");
    if copies.exists() {
        fs::remove_dir_all(&copies)?;
    }
    fs::create_dir(&copies)?;
    for name in ["room", "roomd", "room-relay", "stop-gate", "heartbeat"] {
        let built = kit.binaries.join(name);
        fs::copy(&built, copies.join(name))
            .with_context(|| format!("{} was not built", built.display()))?;
    }
    Ok(copies)
}

/// `target`, two levels above where the binaries of a named target lie.
fn target_directory(binaries: &Path) -> PathBuf {
    // Cargo tags the target directory, and each named target's below it.
    let tagged = |dir: &&Path| dir.join("CACHEDIR.TAG").is_file();
    let outermost = binaries.ancestors().filter(tagged).last();
    outermost.map_or_else(|| steps::root().join("target"), Path::to_path_buf)
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

//! The verbs, one file each.

mod bounds;
pub mod create;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod end;
pub mod exec;
pub mod install;
pub mod messages;
pub mod post;
pub mod prompt;
pub mod read;
pub mod rooms;
pub mod run;
pub mod runs;
pub mod show;
pub mod start;
pub mod uninstall;
pub mod wait;
pub mod watch;
pub mod withdraw;

use std::process::ExitCode;

use crate::cli::{Cli, Verb};
use crate::ctx::Ctx;
use crate::failure::Failure;
use crate::output::Out;

/// Does what the command line asks for.
///
/// # Errors
/// What the verb's failure is.
pub fn run(cli: Cli) -> Result<ExitCode, Failure> {
    bounds::home_is_absolute()?;
    // These need no home.
    match &cli.verb {
        Verb::ExecChild(args) => return exec::child(args),
        Verb::ExecDaemon(args) => return exec::daemon(args),
        Verb::Demo(args) => {
            demo::run(args, &mut Out::stdout(cli.json))?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let mut ctx = Ctx::from_env(cli.json)?;
    bounds::check(&cli.verb, &ctx.layout)?;
    let done = match cli.verb {
        Verb::Run(args) => return run::run(&args, &mut ctx),
        Verb::Daemon(args) => daemon::run(&args, &mut ctx),
        Verb::Post(args) => post::run(args, &mut ctx),
        Verb::Read(args) => read::run(&args, &mut ctx),
        Verb::Messages(args) => messages::run(&args, &mut ctx),
        Verb::Show(args) => show::run(&args, &mut ctx),
        Verb::Withdraw(args) => withdraw::run(&args, &mut ctx),
        Verb::Wait(args) => wait::run(&args, &mut ctx),
        Verb::Runs(args) => runs::run(&args, &mut ctx),
        Verb::Watch(args) => watch::run(&args, &mut ctx),
        Verb::Start(args) => start::run(&args, &mut ctx),
        Verb::End(args) => end::run(&args, &mut ctx),
        Verb::Prompt(args) => prompt::run(&args, &mut ctx),
        Verb::Create(args) => create::run(&args, &mut ctx),
        Verb::Rooms(args) => rooms::run(&args, &mut ctx),
        Verb::Install(args) => install::run(&args, &mut ctx),
        Verb::Uninstall(args) => uninstall::run(&args, &mut ctx),
        Verb::Doctor(args) => doctor::run(&args, &mut ctx),
        Verb::Demo(_) | Verb::ExecChild(_) | Verb::ExecDaemon(_) => Ok(()),
    };
    // What was printed before a failure is printed all the same.
    let flushed = ctx.out.flush();
    done.and(flushed).map(|()| ExitCode::SUCCESS)
}

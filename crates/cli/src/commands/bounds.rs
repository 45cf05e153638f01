//! What of the verbs is open to a process inside a run. It shares the operator's socket with the
//! person who started it, and what it does there by mistake would be the person's doing.

use std::path::Path;

use room_protocol::layout::Layout;

use super::daemon;
use crate::cli::Verb;
use crate::failure::Failure;
use crate::inside::Inside;

/// That `ROOM_HOME`, where it is set, leads somewhere whatever the directory we are in: a relative one
/// would be another home in every directory, and the hooks pass over it.
///
/// # Errors
/// When it is relative.
pub(super) fn home_is_absolute() -> Result<(), Failure> {
    let home = std::env::var_os("ROOM_HOME").unwrap_or_default();
    if home.is_empty() || Path::new(&home).is_absolute() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "ROOM_HOME must be an absolute path, and {:?} is none",
        home.to_string_lossy()
    )))
}

/// That this process may use the verb: as the run that `RUN_ID` names, or as a person without one.
///
/// # Errors
/// When `RUN_ID` names no run of this home and the verb would have to know, or when the verb is not a
/// run's to use.
pub(super) fn check(verb: &Verb, layout: &Layout) -> Result<(), Failure> {
    match verb {
        // These are nobody's words and take nobody's mail.
        Verb::Run(_)
        | Verb::Start(_)
        | Verb::Create(_)
        | Verb::Rooms(_)
        | Verb::Runs(_)
        | Verb::Install(_)
        | Verb::Uninstall(_)
        | Verb::Doctor(_)
        | Verb::Demo(_)
        | Verb::ExecChild(_)
        | Verb::ExecDaemon(_) => Ok(()),
        Verb::Post(_)
        | Verb::Read(_)
        | Verb::Messages(_)
        | Verb::Show(_)
        | Verb::Wait(_)
        | Verb::Watch(_) => Inside::from_env(layout).map(drop),
        Verb::Withdraw(_) => not_by_a_run(layout, "a run takes no message back"),
        Verb::End(args) => match (Inside::from_env(layout)?, args.named()) {
            (Some(inside), Some(other)) if !inside.is_called(other) => {
                Err(Failure::Refused(format!(
                    "a run ends no other run, and this one is {}",
                    inside.file().run
                )))
            }
            _ => Ok(()),
        },
        Verb::Prompt(args) => match (Inside::from_env(layout)?, args.run()) {
            (Some(inside), Some(other)) if inside.file().run != *other => {
                Err(Failure::Refused(format!(
                    "a run takes no other run's messages, and this one is {}",
                    inside.file().run
                )))
            }
            _ => Ok(()),
        },
        // A home without this run is another home, where this process is nobody.
        Verb::Daemon(args) if args.verb() == daemon::Verb::Stop => match Inside::from_env(layout) {
            Ok(Some(_)) => Err(Failure::Refused(
                "a run does not stop the daemon that brings it its messages".to_owned(),
            )),
            _ => Ok(()),
        },
        Verb::Daemon(_) => Ok(()),
    }
}

fn not_by_a_run(layout: &Layout, why: &str) -> Result<(), Failure> {
    match Inside::from_env(layout)? {
        Some(_) => Err(Failure::Refused(why.to_owned())),
        None => Ok(()),
    }
}

//! A CLI that is killed with the message in an unanswered request has proven nothing.

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::shared::{ROOM, delivered, in_room, shown_once};
use super::{BOTH, Case};
use crate::clients::model::script::Steps;
use crate::clients::process;
use crate::clients::stage::Stage;

pub const CASE: Case = Case {
    name: "killed",
    about: "killed right after a print: the exit code comes through, the next run gets the message",
    clis: BOTH,
    product: true,
    run,
};

/// 128 and SIGKILL, as a shell tells it.
const KILLED: i32 = 137;

fn run(stage: &Stage) -> Result<()> {
    let room = stage.room.clone();
    let (entry, name) = (stage.entry(), stage.cli.name());
    let main = Steps::new()
        .shell("echo a step")
        .after_request(move || room.post(ROOM, "ana", "KILLWORD-1").map(drop))
        .say("never heard")
        .after_request(move || {
            let pids = process::named_with_environment(name, &entry);
            ensure!(pids.len() == 1, "one {name} expected: {pids:?}");
            ensure!(process::signal(pids[0], Signal::KILL), "{name} has gone");
            Ok(())
        });
    stage.model.play(main);
    let outcome = in_room(stage, "do the step").named("first").run()?;
    ensure!(
        outcome.code() == KILLED,
        "the launcher ended with {}",
        outcome.code()
    );
    let cut = delivered(stage, "demo/1", "relayed")?;
    ensure!(!cut.confirmed, "nothing proves that it was seen: {cut:?}");

    let second = stage.model.play(Steps::new().say("finished"));
    in_room(stage, "go on").named("second").run()?.success()?;
    let requests = second.requests()?.main();
    shown_once(&requests, "KILLWORD-1", 0)?;
    let deliveries = stage.room.message(ROOM, "demo/1")?.deliveries;
    let to_second = deliveries.iter().find(|delivery| delivery.run != cut.run);
    ensure!(
        to_second.is_some_and(|delivery| delivery.how == "opened"),
        "the second run did not open with it: {deliveries:?}"
    );
    Ok(())
}
